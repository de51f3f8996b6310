// An answer that breaks a rule on which the sync relies; going on would make the copy wrong without anybody noticing.

/** The run is aborted and the state stays. Something between the client and the API changes requests or answers. */
export class FeedError extends Error {
  override readonly name = 'FeedError'
}
