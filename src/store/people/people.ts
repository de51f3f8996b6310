// People who sign in to the console, and their roles in organizations.
import { sql } from 'kysely'
import { bump } from '../database/change-signal.ts'
import type { Executor } from '../database/database.ts'

export type Role = 'owner' | 'member'

export type Person = {
  readonly personId: string
  /** In lower case. */
  readonly mail: string
  readonly name: string
  /** Undefined: the language that the browser requests. */
  readonly language: 'en' | 'de' | undefined
  readonly isOperator: boolean
}

export type Membership = {
  readonly organizationId: string
  readonly personId: string
  readonly role: Role
}

/** A member of an organization, for its page of people. */
export type Member = Person & { readonly role: Role; readonly since: number }

export type NewPerson = Pick<Person, 'personId' | 'mail' | 'name' | 'isOperator'>

const personColumns = sql`person.person_id as "personId", mail, name, language, is_operator as "isOperator"`

/** Languages of a later version are not known here. */
const withLanguage = <Row extends Person>(row: Row): Row => ({
  ...row,
  language: row.language === 'en' || row.language === 'de' ? row.language : undefined,
})

/** Everybody whose account has not ended. */
export async function listPeople(db: Executor): Promise<Person[]> {
  const { rows } = await sql<Person>`select ${personColumns} from person where ended_at is null`.execute(db)
  return rows.map(withLanguage)
}

export async function findPersonByMail(db: Executor, mail: string): Promise<Person | undefined> {
  const { rows } = await sql<Person>`
    select ${personColumns} from person where mail = ${mail.toLowerCase()} and ended_at is null`.execute(db)
  return rows.map(withLanguage)[0]
}

/** Whether somebody has, or had, this mail address. */
export async function isKnownMail(db: Executor, mail: string): Promise<boolean> {
  const { rows } = await sql`select from person where mail = ${mail.toLowerCase()}`.execute(db)
  return rows.length > 0
}

/** Whether the person has proven that the mail address is theirs. */
export async function isMailProven(db: Executor, personId: string): Promise<boolean> {
  const { rows } = await sql`
    select from person where person_id = ${personId} and is_mail_unproven is not true`.execute(db)
  return rows.length > 0
}

/** Creates a person; returns the existing one if the mail address is taken. Call it in the transaction of its cause. */
export async function createPerson(trx: Executor, person: NewPerson, now: number): Promise<Person> {
  await sql`
    insert into person (person_id, mail, name, is_operator, created_at)
    values (${person.personId}, ${person.mail.toLowerCase()}, ${person.name}, ${person.isOperator}, ${now})
    on conflict (mail) do update set ended_at = null,
      is_operator = case when person.ended_at is null then person.is_operator else excluded.is_operator end`.execute(
    trx,
  )
  await bump(trx, 'console')
  return (await findPersonByMail(trx, person.mail))!
}

/**
 * Creates a person whose mail address nobody has proven; undefined, and nothing changes, if somebody has or had it.
 * Call it in the transaction of its cause.
 */
export async function createUnproven(trx: Executor, person: NewPerson, now: number): Promise<Person | undefined> {
  const { numAffectedRows } = await sql`
    insert into person (person_id, mail, name, is_operator, created_at, is_mail_unproven)
    values (${person.personId}, ${person.mail.toLowerCase()}, ${person.name}, false, ${now}, true)
    on conflict (mail) do nothing`.execute(trx)
  if (numAffectedRows !== 1n) return undefined
  await bump(trx, 'console')
  return findPersonByMail(trx, person.mail)
}

/**
 * Somebody proves the mail address of a person. Of one who had only joined by a link that was handed over, sessions and
 * passkeys end: whoever had the link may be somebody else.
 */
export async function proveMail(trx: Executor, personId: string): Promise<void> {
  const { numAffectedRows } = await sql`
    update person set is_mail_unproven = null where person_id = ${personId} and is_mail_unproven`.execute(trx)
  if (numAffectedRows !== 1n) return
  await sql`delete from passkey where person_id = ${personId}`.execute(trx)
  await sql`delete from session where person_id = ${personId}`.execute(trx)
  await sql`delete from calendar_feed where person_id = ${personId}`.execute(trx)
  await bump(trx, 'console')
}

/** Changes name and language, which people choose themselves. */
export async function changePerson(
  trx: Executor,
  personId: string,
  change: { readonly name: string; readonly language: 'en' | 'de' | undefined },
): Promise<void> {
  await trx
    .updateTable('person')
    .set({ name: change.name, language: change.language ?? null })
    .where('person_id', '=', personId)
    .execute()
  await bump(trx, 'console')
}

/** Makes somebody an operator, or ends that. */
export async function setOperator(trx: Executor, personId: string, isOperator: boolean): Promise<void> {
  await trx.updateTable('person').set({ is_operator: isOperator }).where('person_id', '=', personId).execute()
  await bump(trx, 'console')
}

export async function listMemberships(db: Executor): Promise<Membership[]> {
  const { rows } = await sql<Membership>`
    select organization_id as "organizationId", person_id as "personId", role from membership`.execute(db)
  return rows
}

export const isMemberSomewhere = async (db: Executor, personId: string): Promise<boolean> =>
  (await db.selectFrom('membership').select('role').where('person_id', '=', personId).limit(1).execute()).length > 0

/** Members of one organization, Owners first. */
export async function listMembers(db: Executor, organizationId: string): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select ${personColumns}, role, membership.created_at as since from membership join person using (person_id)
    where organization_id = ${organizationId} and ended_at is null order by role desc, mail`.execute(db)
  return rows.map(withLanguage)
}

/** Adds somebody to an organization; a member keeps the higher role. */
export async function addMember(
  trx: Executor,
  { organizationId, personId, role }: Membership,
  now: number,
): Promise<void> {
  await sql`
    insert into membership (organization_id, person_id, role, created_at)
    values (${organizationId}, ${personId}, ${role}, ${now})
    on conflict (organization_id, person_id) do update
      set role = case when membership.role = 'owner' then 'owner' else excluded.role end`.execute(trx)
  await bump(trx, 'console')
}

/** Changes a role, or removes a member if `role` is undefined. Call it in the transaction of its cause. */
export async function changeMember(
  trx: Executor,
  { organizationId, personId }: Pick<Membership, 'organizationId' | 'personId'>,
  role: Role | undefined,
): Promise<void> {
  const whose = sql`organization_id = ${organizationId} and person_id = ${personId}`
  if (role === undefined) await sql`delete from membership where ${whose}`.execute(trx)
  else await sql`update membership set role = ${role} where ${whose}`.execute(trx)
  await bump(trx, 'console')
}

export const hasPeople = async (db: Executor): Promise<boolean> =>
  (await db.selectFrom('person').select('person_id').where('ended_at', 'is', null).limit(1).execute()).length > 0
