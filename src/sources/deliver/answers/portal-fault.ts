// Errors that a portal answers under status 200.
import type { AnswerPointer } from '../../delivery.ts'
import type { Json } from '../../fetch.ts'
import { unexpected } from './answer-documents.ts'

export type Fault = { readonly at: AnswerPointer; readonly is?: string }

/** Throws Retryable when the value at the place of a fault says that the answer is an error. */
export function checkFault(fault: Fault | undefined, value: Json | undefined, address: string): void {
  if (!fault || value === undefined || value === null || value === false || value === '') return
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (fault.is === undefined || fault.is === text)
    throw unexpected(address, `an error under status 200: ${text.slice(0, 200)}`)
}
