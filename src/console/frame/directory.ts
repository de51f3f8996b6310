// People, organizations and sessions in memory, so that no page waits for the database to know who sends the request.
import { hash } from 'node:crypto'
import { minuteMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/database/database.ts'
import { listContracted } from '../../store/people/contracts.ts'
import { listOrganizations, type Organization } from '../../store/people/organizations.ts'
import { listMemberships, listPeople, type Membership, type Person } from '../../store/people/people.ts'
import {
  idleSessionMs,
  listSessions,
  longestSessionMs,
  type Session,
  touchSession,
} from '../../store/people/sessions.ts'
import type { Viewer, ViewerMembership } from './page.ts'

/** Minimum time between two writes of a session's last use. */
const touchEveryMs = 5 * minuteMs

/** How a cookie or link is stored: SHA-256 in hex. */
export const keyHashOf = (key: string): string => hash('sha256', key)

type Known = {
  readonly people: ReadonlyMap<string, Person>
  readonly organizations: ReadonlyMap<string, Organization>
  readonly memberships: readonly Membership[]
  /** Organizations with a contract. */
  readonly contracted: ReadonlySet<string>
  readonly sessions: ReadonlyMap<string, Session>
}

/** People, organizations and sessions as of the last `refresh`. */
export class Directory {
  #known: Known = {
    people: new Map(),
    organizations: new Map(),
    memberships: [],
    contracted: new Set(),
    sessions: new Map(),
  }
  readonly #store: Pick<Store, 'db'>
  readonly #clock: Clock
  readonly #touched = new Map<string, number>()
  #serial = -1

  constructor(store: Pick<Store, 'db'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Rereads everything. Call it after a change made here; changes elsewhere arrive through `follow`. */
  async refresh(): Promise<void> {
    const { db } = this.#store
    const people = await listPeople(db)
    const organizations = await listOrganizations(db)
    const sessions = await listSessions(db, this.#clock())
    this.#known = {
      people: new Map(people.map((person) => [person.personId, person])),
      organizations: new Map(organizations.map((each) => [each.organizationId, each])),
      memberships: await listMemberships(db),
      contracted: await listContracted(db),
      sessions: new Map(sessions.map((session) => [session.sessionId, session])),
    }
  }

  /** Refreshes when the serial of the topics `console` and `tokens` together has changed. */
  async follow(serial: number): Promise<void> {
    if (serial === this.#serial) return
    await this.refresh()
    this.#serial = serial
  }

  /** Returns the viewer of a session cookie; undefined if the session has ended. */
  viewerOf(cookie: string): Viewer | undefined {
    const session = this.#known.sessions.get(keyHashOf(cookie))
    const now = this.#clock()
    if (!session) return undefined
    const seenAt = Math.max(session.seenAt, this.#touched.get(session.sessionId) ?? 0)
    if (now - seenAt > idleSessionMs || now - session.createdAt > longestSessionMs) return undefined
    const person = this.#known.people.get(session.personId)
    if (!person) return undefined
    if (now - seenAt > touchEveryMs) {
      this.#touched.set(session.sessionId, now)
      touchSession(this.#store.db, session.sessionId, now).catch(() => this.#touched.delete(session.sessionId))
    }
    return {
      person,
      memberships: this.membershipsOf(person.personId),
      sessionId: session.sessionId,
      signedInAt: session.signedInAt,
    }
  }

  /** The organizations of a person, by name. */
  membershipsOf(personId: string): ViewerMembership[] {
    return this.#known.memberships
      .filter((membership) => membership.personId === personId)
      .flatMap(({ organizationId, role }) => {
        const organization = this.#known.organizations.get(organizationId)
        return organization
          ? [{ organizationId, name: organization.name, role, hasAccessArea: this.#hasArea(organization) }]
          : []
      })
      .sort((left, right) => left.name.localeCompare(right.name))
  }

  /** The names of an organization's Owners, for a page that says who can help. */
  ownersOf(organizationId: string): Person[] {
    return this.#known.memberships
      .filter((membership) => membership.organizationId === organizationId && membership.role === 'owner')
      .flatMap(({ personId }) => this.#known.people.get(personId) ?? [])
  }

  organization(organizationId: string): Organization | undefined {
    return this.#known.organizations.get(organizationId)
  }

  person(personId: string): Person | undefined {
    return this.#known.people.get(personId)
  }

  /** Sessions of a person, the newest first. */
  sessionsOf(personId: string): Session[] {
    return [...this.#known.sessions.values()]
      .filter((session) => session.personId === personId)
      .sort((left, right) => right.createdAt - left.createdAt)
  }

  get hasPeople(): boolean {
    return this.#known.people.size > 0
  }

  /** Set up by an operator, by the console or by `organization create`; it stays when the contract has ended (C118). */
  #hasArea({ organizationId, hasApiAccess }: Organization): boolean {
    return hasApiAccess || this.#known.contracted.has(organizationId)
  }
}
