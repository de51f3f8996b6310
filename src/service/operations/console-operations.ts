// The operator's command about the console: a link to sign in without an email.
import { addSignInLink } from '../../actions/people.ts'
import { keyHashOf } from '../../console/frame/directory.ts'
import { newKey } from '../../console/mails/write-mails.ts'
import { OperatorError } from '../../platform/errors.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { hasPeople } from '../../store/people/people.ts'
import { createSignInLink, linkMs } from '../../store/people/sessions.ts'
import { actingOf, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'

/** Address of the console by default. */
const usualOrigin = 'http://localhost:8081'

type LinkContext = Pick<ServiceContext, 'store' | 'clock' | 'random' | 'config' | 'consoleOrigin' | 'by'>

/** `console link [MAIL] [--operator]`. */
export const makeConsoleLink: Operation<LinkContext> = async (context, { operands, options }, emit) => {
  const [typed] = operands
  const key = newKey(context.random)
  const mail = typed === undefined ? undefined : mailAddressOf(typed)?.toLowerCase()
  const wanted = { keyHash: keyHashOf(key), typed, mail, isOperator: options['operator'] === true }
  const acting = actingOf(context)
  const outcome = await inTransaction(context.store, (trx) => addSignInLink(trx, acting, wanted))
  switch (outcome.kind) {
    case 'several':
      throw new OperatorError(
        'person-unclear',
        'Several people could be meant; name the mail address: tenderstock console link anna@example.org',
      )
    case 'noAddress':
      throw new OperatorError('invalid-mail', `"${typed}" is not a mail address; write it like anna@example.org.`)
    case 'unknown':
      throw new OperatorError(
        'no-person',
        `No person here has the address ${outcome.mail}. An Owner invites people in the console; --operator creates a new operator.`,
      )
    case 'first':
    case 'made':
  }
  const origin = context.consoleOrigin ?? context.config.consoleUrl ?? usualOrigin
  const isFirst = outcome.kind === 'first'
  // the first person can still change their address in the form
  const query = isFirst && mail !== undefined ? `?mail=${encodeURIComponent(mail)}` : ''
  emit({
    event: 'consoleLink',
    link: `${origin}/${isFirst ? 'first' : 'sign-in/link'}/${key}${query}`,
    mail: isFirst ? null : outcome.person.mail,
    until: acting.now + linkMs,
  })
  if (context.consoleOrigin === undefined)
    emit({
      event: 'warning',
      message: 'No service runs on this stock here; the link works where one does, or once one is started.',
    })
  return 0
}

/** A link for the first person; undefined when somebody exists. */
export async function firstConsoleLink({
  store,
  clock,
  random,
  consoleOrigin,
}: LinkContext): Promise<string | undefined> {
  if (await hasPeople(store.db)) return undefined
  const key = newKey(random)
  await createSignInLink(store.db, { keyHash: keyHashOf(key), now: clock() })
  return `${consoleOrigin}/first/${key}`
}

export const operations = {
  'console link': makeConsoleLink,
} satisfies Operations
