// The operator's command about the console: a link to sign in without an email.
import { keyHashOf } from '../console/directory.ts'
import { newKey } from '../console/write-mails.ts'
import { noSuchThing, wrongUse } from '../platform/errors.ts'
import { mailAddressOf } from '../platform/mail-address.ts'
import type { Random } from '../platform/random.ts'
import { type Executor, inTransaction } from '../store/database.ts'
import { createPerson, findPersonByMail, hasPeople, listPeople, type Person, setOperator } from '../store/people.ts'
import { createSignInLink, linkMs } from '../store/sessions.ts'
import { noteCommand } from './command-note.ts'
import type { Operation, Operations, ServiceContext } from './operation-context.ts'

/** Address of the console by default. */
const usualOrigin = 'http://localhost:8081'

type LinkContext = Pick<ServiceContext, 'store' | 'clock' | 'random' | 'config' | 'consoleOrigin' | 'by'>

/** `console link [MAIL] [--operator]`. */
export const makeConsoleLink: Operation<LinkContext> = async (context, { operands, options }, emit) => {
  const { store, clock, random } = context
  const [typed] = operands
  const now = clock()
  const key = newKey(random)
  const person = await inTransaction(store, async (trx) => {
    if (!(await hasPeople(trx))) {
      if (typed !== undefined) addressOf(typed)
      await createSignInLink(trx, { keyHash: keyHashOf(key), now })
      await noteCommand(trx, context, { action: 'console.link', subject: 'first person' })
      return undefined
    }
    const found =
      typed === undefined
        ? await onlyOperator(trx)
        : await personFor(trx, typed, { isOperator: options['operator'] === true, now, random })
    await createSignInLink(trx, { keyHash: keyHashOf(key), personId: found.personId, now })
    const detail = options['operator'] === true ? { operator: true } : {}
    await noteCommand(trx, context, { action: 'console.link', subject: found.mail, detail })
    return found
  })
  const origin = context.consoleOrigin ?? context.config.consoleUrl ?? usualOrigin
  // the first person can still change their address in the form
  const query = person || typed === undefined ? '' : `?mail=${encodeURIComponent(addressOf(typed))}`
  emit({
    event: 'consoleLink',
    link: `${origin}/${person ? 'sign-in/link' : 'first'}/${key}${query}`,
    mail: person?.mail ?? null,
    until: now + linkMs,
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

async function onlyOperator(trx: Executor): Promise<Person> {
  const operators = (await listPeople(trx)).filter(({ isOperator }) => isOperator)
  if (operators.length !== 1)
    throw wrongUse('Several people could be meant; name the mail address: tenderstock console link anna@example.org')
  return operators[0]!
}

/** Finds a known person; with `isOperator` also creates a new one. */
async function personFor(
  trx: Executor,
  typed: string,
  { isOperator, now, random }: { readonly isOperator: boolean; readonly now: number; readonly random: Random },
): Promise<Person> {
  // the first person may not have an address that mails reach
  const known = await findPersonByMail(trx, typed.trim())
  const mail = known?.mail ?? addressOf(typed)
  const person = known ?? (await findPersonByMail(trx, mail))
  if (!isOperator) {
    if (person) return person
    throw noSuchThing(
      `Nobody here has the address ${mail}. An Owner invites people in the console; --operator creates a new operator.`,
    )
  }
  const made = person ?? (await createPerson(trx, { personId: random.uuid(), mail, name: '', isOperator }, now))
  if (!made.isOperator) await setOperator(trx, made.personId, true)
  return made
}

function addressOf(typed: string): string {
  const mail = mailAddressOf(typed)?.toLowerCase()
  if (mail === undefined) throw wrongUse(`"${typed}" is not a mail address; write it like anna@example.org.`)
  return mail
}

export const operations = {
  'console link': makeConsoleLink,
} satisfies Operations
