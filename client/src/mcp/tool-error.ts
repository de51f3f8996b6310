// Why a tool gives no answer, for the assistant that called it.
import { ClientError } from '../client-error.ts'

/** The message says what to do next. */
export class ToolError extends ClientError {
  override readonly name = 'ToolError'
  override readonly code = 'tool'
}
