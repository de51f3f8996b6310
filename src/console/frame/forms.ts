// Forms that create something are accepted once; who sends a form, as actions see them.
import type { Acting, Actor, Newcomer } from '../../actions/acting.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { takeForm } from '../../store/people/sent-forms.ts'
import type { ConsoleContext } from './console-context.ts'
import { keyHashOf } from './directory.ts'
import { type Html, html } from './html.ts'
import { PageError, type PageRequest, type PersonRequest } from './page.ts'

/** The hidden field of a form that creates something: sent twice, it creates nothing twice. */
export const formKey = ({ random }: Pick<ConsoleContext, 'random'>): Html =>
  html`<input type="hidden" name="form-key" value="${Buffer.from(random.bytes(16)).toString('base64url')}">`

/** Returned by `work` of `once` to undo everything that it did. */
export class Refused<Reason extends string> extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

/** `sent`: the form was accepted before, and `work` was not repeated. */
export type Once<Result, Reason> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'sent' }
  | ([Reason] extends [never] ? never : { readonly kind: 'refused'; readonly reason: Reason })

/**
 * Runs `work` in one transaction the first time a form is sent. If `work` throws or returns a refusal, everything is
 * undone, and the form can be sent again. Throws PageError 400 for a form without its key.
 */
export async function once<Result, Reason extends string = never>(
  { store }: Pick<ConsoleContext, 'store'>,
  request: Pick<PageRequest, 'form' | 'now'>,
  work: (trx: Executor) => Promise<Result | Refused<Reason>>,
): Promise<Once<Result, Reason>> {
  const key = request.form.get('form-key') ?? ''
  if (!/^[\w-]{22}$/.test(key))
    throw new PageError(400, 'The form lacks its key. Open the page again and send it again.')
  try {
    return await inTransaction(store, async (trx) => {
      if (!(await takeForm(trx, keyHashOf(key), request.now))) return { kind: 'sent' }
      const result = await work(trx)
      if (result instanceof Refused) throw result
      return { kind: 'done', result }
    })
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.reason } as Once<Result, Reason>
    throw error
  }
}

/** The viewer of this request, as named in the audit log. */
export const actorOf = ({ viewer, addressPrefix }: PersonRequest): Actor => ({
  actor: viewer.person.mail,
  addressPrefix,
})

/** The viewer of this request as an action sees them. */
export const actingOf = ({ random }: Pick<ConsoleContext, 'random'>, request: PersonRequest): Acting => ({
  ...actorOf(request),
  now: request.now,
  random,
})

/** Somebody whom a request makes known: a person who signs in or joins. */
export const newcomerOf = (
  { random }: Pick<ConsoleContext, 'random'>,
  { now, addressPrefix }: PageRequest,
): Newcomer => ({ now, addressPrefix, random })

/** The only value of a field, without spaces around it; empty if it is missing. */
export const fieldOf = (form: URLSearchParams, name: string): string => (form.get(name) ?? '').trim()
