// An answer that breaks a rule on which the sync relies; continuing would silently make the copy wrong.
import { ClientError } from '../client-error.ts'

/**
 * The run is aborted and the state stays unchanged. Something between the client and the API changes requests or
 * answers.
 */
export class FeedError extends ClientError {
  override readonly name = 'FeedError'
  override readonly code = 'feed'
}
