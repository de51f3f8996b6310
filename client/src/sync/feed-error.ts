// An answer that breaks a rule on which the sync relies; continuing would silently make the copy wrong.

/**
 * The run is aborted and the state stays unchanged. Something between the client and the API changes requests or
 * answers.
 */
export class FeedError extends Error {
  override readonly name = 'FeedError'
}
