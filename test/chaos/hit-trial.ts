// Hits in the chaos run: searches that change, endpoints whose receivers survive, and the comparison of what these
// store with the result of a plain loop over the editions.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { plantingHook } from '../planted-edit.ts'
import type { Random } from '../testing/generate/random.ts'
import { queryOnce } from './copies.ts'
import { expectedMessages, type OfferedHit } from './expected-hits.ts'
import { type HitReceiver, openHitReceiver } from './hit-receiver.ts'

/** With a database server, the service refuses receivers on its own machine; this test must allow them. */
export const allowsReceivers = [
  '--import',
  plantingHook({
    name: 'receivers beside a database server',
    file: 'src/service/hits/loopback-webhooks.ts',
    from: "databaseUrl === undefined && (await getSetting(db, settingName)) === 'yes'",
    to: 'true',
  }),
] as const

type Command = (...args: string[]) => Promise<string>

const searches: readonly (readonly [name: string, ...options: string[]])[] = [
  ['Broad', '--nuts', 'DE', '--threshold', '1'],
  ['Works', '--cpv', '45000000', '--profile', 'Builder', '--threshold', '30'],
  ['Valued', '--cpv', '45000000', '79000000', '--value-min', '2000000', '--threshold', '20'],
  ['Corrections', '--word', 'corrected', '--exclude-nuts', 'NO', '--threshold', '1'],
  ['Twins', '--word', 'wording', '--min-days', '1', '--threshold', '1'],
]
/** Created before the first edition; it matches fewer of its tenders than the cap allows. */
const narrow = ['Narrow', '--cpv', '03212211', '--nuts', 'NO081', '--threshold', '1'] as const
const restless = 'Restless'

const endpoints = [
  { name: 'steady', hasTroubles: false, hearsOfChanges: true, searches: [] },
  { name: 'troubled', hasTroubles: true, hearsOfChanges: false, searches: [] },
  { name: 'choosy', hasTroubles: true, hearsOfChanges: true, searches: ['Narrow', 'Corrections', 'Twins'] },
] as const

export class HitTrial {
  readonly #run: Command
  readonly #stockUrl: () => Promise<string>
  readonly #organization: readonly string[]
  readonly #receivers = new Map<string, HitReceiver>()

  /**
   * `run`: the program with these arguments. Rejects when it fails. `stockUrl`: the server that accepts writes now.
   */
  constructor(run: Command, stockUrl: () => Promise<string>, organization: string) {
    this.#run = run
    this.#stockUrl = stockUrl
    this.#organization = ['--organization', organization]
  }

  /** Creates searches before the first edition. */
  async begin(): Promise<void> {
    const [name, ...options] = narrow
    await this.#run('search', 'create', '--name', name, ...this.#organization, ...options)
  }

  /**
   * Creates searches after it: later editions are small enough that no search matches too much at once, or nearly none.
   */
  async subscribe(folder: string, random: Random): Promise<void> {
    const profile = ['--cpv', '45211100', '--word', 'works', '--nuts', 'DE21', '--value-max', '5000000']
    await this.#run('profile', 'create', '--name', 'Builder', ...this.#organization, ...profile)
    for (const [name, ...options] of [...searches, [restless, '--cpv', '90500000'] as const])
      await this.#run('search', 'create', '--name', name, ...this.#organization, ...options)
    for (const { name, hasTroubles, hearsOfChanges, searches: only } of endpoints) {
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      const file = join(folder, `secret-${name}`)
      writeFileSync(file, secret, { mode: 0o600 })
      const receiver = await openHitReceiver({ name, secret, random, hasTroubles })
      const chosen = only.length > 0 ? ['--search', ...only] : []
      const kinds = hearsOfChanges ? ['--kind', 'search.hit', 'search.hit.changed'] : []
      const output = await this.#run(
        ...['webhook', 'create', ...this.#organization, '--url', receiver.url, '--rate', '200'],
        ...['--secret-file', file, ...chosen, ...kinds],
      )
      const event = output.split('\n').find((line) => line.startsWith('{"event":"webhook"'))
      this.#receivers.set((JSON.parse(event!) as { readonly id: string }).id, receiver)
    }
  }

  /** Somebody changes a search or the profile. It may fail: the change was made before, or everything is down. */
  async edit(random: Random): Promise<void> {
    const code = random.pick(['45000000', '30192121', '79000000', '90500000'])
    const words = random.pick([
      ['search', 'pause', restless],
      ['search', 'resume', restless],
      ['search', 'edit', restless, '--cpv', code, '--threshold', `${random.integer(1, 60)}`],
      ['profile', 'edit', 'Builder', '--cpv', code],
    ] as const)
    await this.#run(...words, ...this.#organization).catch(() => {})
  }

  /** Advances the time until the next attempt of every message. */
  async passTime(): Promise<void> {
    await this.#query(
      `with locked as (select endpoint_no from webhook_endpoint order by endpoint_no for no key update)
       update delivery d set due_at = 0 from locked where d.endpoint_no = locked.endpoint_no and d.state = 'due' and due_at > 0`,
    ).catch(() => {})
  }

  /** Long enough for every lease to end, whether its holder is alive or not. */
  async endLeases(): Promise<void> {
    await this.#query('update hit_mark set until_ms = 1 where until_ms > 0').catch(() => {})
    await this.#query('update webhook_endpoint set taken_until = 0').catch(() => {})
  }

  /** Throws while an edition is not matched, or a message has not arrived. What the cap held is released. */
  async mustBeDone(): Promise<void> {
    const [mark] = await this.#query<{ behind: number }>(
      'select (select max(edition) from edition) - edition as behind from hit_mark',
    )
    if (mark!.behind > 0) throw new Error(`${mark!.behind} editions are not matched`)
    const held = await this.#query<{ name: string }>(
      `select distinct name from saved_search join search_edition using (search_no) where state = 'held'`,
    )
    for (const { name } of held) await this.#run('hit', 'release', name, ...this.#organization)
    await this.passTime()
    const due = await this.#query<{ endpoint: string }>(
      `select endpoint_id || ': ' || count(*) || ' due, ' || failures || ' failures, ' || taken_until as endpoint
       from delivery join webhook_endpoint e using (endpoint_no) where delivery.state = 'due' group by e.endpoint_no`,
    )
    if (due.length > 0) throw new Error(due.map(({ endpoint }) => endpoint).join(', '))
  }

  /** Compares each receiver with the plain loop. */
  async compare(): Promise<{ readonly line: string; readonly faults: readonly string[] }> {
    const expected = await expectedMessages(await this.#stockUrl())
    const faults: string[] = []
    const tell = (name: string, lines: readonly string[]) => {
      for (const line of lines.slice(0, 20)) faults.push(`receiver ${name}: ${line}`)
      if (lines.length > 20) faults.push(`receiver ${name}: ${lines.length - 20} more`)
    }
    const hits = new Set<string>()
    let changes = 0
    for (const [endpointId, receiver] of this.#receivers) {
      const asked = expected.get(endpointId) ?? new Map<string, OfferedHit>()
      for (const { hitId, kind } of asked.values()) {
        hits.add(hitId)
        if (kind === 'search.hit.changed') changes++
      }
      tell(receiver.name, [...receiver.faults, ...differences(asked, receiver.kept)])
      if (asked.size === 0) faults.push(`receiver ${receiver.name}: the run made no hit for it`)
    }
    const all = [...this.#receivers.values()]
    const sum = (of: (receiver: HitReceiver) => number) => all.reduce((total, each) => total + of(each), 0)
    const count = (number: number) => number.toLocaleString('en')
    const line =
      `${count(hits.size)} hits in ${count(sum(({ kept }) => kept.size))} messages to ${all.length} receivers ` +
      `(${count(changes)} of changes, ${count(sum(({ repeats }) => repeats()))} repeats), ${faults.length} wrong`
    return { line, faults }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#receivers.values()].map((each) => each.close()))
  }

  async #query<Row>(text: string): Promise<Row[]> {
    return queryOnce<Row>(await this.#stockUrl(), text)
  }
}

/** The differences between the stored messages and the expected ones, one line each. */
function differences(expected: ReadonlyMap<string, OfferedHit>, kept: ReadonlyMap<string, OfferedHit>): string[] {
  const found: string[] = []
  const nameOf = ({ searchId, tenderId, edition }: OfferedHit) =>
    `search ${searchId}, tender ${tenderId}, edition ${edition}`
  for (const [id, hit] of expected) {
    const held = kept.get(id)
    if (!held) found.push(`${id} is missing (${nameOf(hit)})`)
    else if (!isDeepStrictEqual(held, hit)) found.push(`${id} differs: ${short(held)} instead of ${short(hit)}`)
  }
  const idOf = new Map<string, string>()
  for (const [id, hit] of kept) {
    if (!expected.has(id)) found.push(`${id} is no hit (${nameOf(hit)})`)
    if (hit.kind !== 'search.hit') continue
    const other = idOf.get(hit.hitId) ?? id
    if (other !== id) found.push(`hit ${hit.hitId} came as ${id} and as ${other}`)
    idOf.set(hit.hitId, id)
  }
  return found
}

const short = ({ record, ...hit }: OfferedHit): string => `${JSON.stringify(hit)} ${record.slice(0, 200)}`
