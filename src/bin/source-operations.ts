// The operator's commands about sources: which there are, how each is doing, a reading of one now.
import { sourcesHealth } from '../ingest/watch-sources.ts'
import { OperatorError } from '../platform/errors.ts'
import { loadSources, type Sources } from '../sources/registry.ts'
import type { Source } from '../sources/source.ts'
import type { Store } from '../store/database.ts'
import { alarmsOf, listRuns } from '../store/source-health.ts'
import type { ControlRequest, Emit } from './control-socket.ts'

/** What these commands need of the place they run in. */
export type SourcePlace = {
  readonly store: Store
  readonly clock: () => number
  /** The operator's key of this name (`SAM_API_KEY`), if set. */
  readonly keyOf: (setting: string) => string | undefined
}

const shownRuns = 10
const shownAlarms = 5

/** The source of this id. Throws OperatorError that names near ones. */
export function sourceNamed(sources: Sources, id: string): Source {
  const source = sources.get(id)
  if (source) return source
  const near = [...sources.keys()].filter((each) => each.includes(id) || id.includes(each)).slice(0, 5)
  throw new OperatorError(
    `There is no source "${id}"${near.length > 0 ? `; did you mean ${near.join(', ')}?` : '; `tenderstock source list --all` shows them.'}`,
    { exitCode: 2 },
  )
}

/** `source list`: one event for each source, those with alarms first; what never ran or is off only with --all. */
export async function listSources(place: SourcePlace, { options }: ControlRequest, emit: Emit): Promise<number> {
  const sources = await loadSources()
  const country = options.country === undefined ? undefined : String(options.country).toUpperCase()
  const judged = await sourcesHealth(place.store, watchOf(place, sources))
  const order = ['alarm', 'ok', 'never-read', 'off']
  const wanted = judged
    .filter(({ health }) => country === undefined || sources.get(health.sourceId)!.country === country)
    .sort((a, b) => order.indexOf(a.health.state) - order.indexOf(b.health.state))
  const isShown = (state: string) =>
    options.all === true || country !== undefined || state === 'alarm' || state === 'ok'
  for (const { health, record } of wanted) {
    if (!isShown(health.state)) continue
    const source = sources.get(health.sourceId)!
    emit({
      event: 'source',
      ...health,
      title: source.title,
      country: source.country,
      lastNewAt: record.lastNewAt,
      recentDocuments: record.recentDocuments,
      waitingSlots: record.waitingSlots,
    })
  }
  const countOf = (state: string) => wanted.filter(({ health }) => health.state === state).length
  emit({
    event: 'sources',
    total: wanted.length,
    countries: new Set(wanted.map(({ health }) => sources.get(health.sourceId)!.country)).size,
    ok: countOf('ok'),
    alarm: countOf('alarm'),
    neverRead: countOf('never-read'),
    off: countOf('off'),
    hidden: wanted.filter(({ health }) => !isShown(health.state)).length,
  })
  return 0
}

/** `source show ID`: its card, its health, its last readings and alarms. */
export async function showSource(place: SourcePlace, { operands }: ControlRequest, emit: Emit): Promise<number> {
  const sources = await loadSources()
  const source = sourceNamed(sources, operands[0]!)
  const judged = await sourcesHealth(place.store, {
    ...watchOf(place, sources),
    sources: new Map([[source.id, source]]),
  })
  const { health, record } = judged[0]!
  emit({
    event: 'sourceCard',
    ...cardOf(source),
    health,
    record,
    runs: await listRuns(place.store.db, source.id, shownRuns),
    alarms: await alarmsOf(place.store.db, source.id, shownAlarms),
  })
  return 0
}

const watchOf = (place: SourcePlace, sources: Sources) => ({
  sources,
  now: place.clock(),
  hasKey: (setting: string) => place.keyOf(setting) !== undefined,
})

/** What of a card is data: without its functions. */
function cardOf(source: Source) {
  const {
    id,
    title,
    publisher,
    country,
    homepage,
    documentation,
    licence,
    zone,
    access,
    politeness,
    expects,
    caveats,
  } = source
  return {
    id,
    title,
    publisher,
    country,
    homepage,
    documentation: documentation ?? null,
    licence,
    zone,
    access,
    politeness,
    expects,
    caveats,
    channels: source.channels.map(({ name, role, slots, delivery, timetable }) => ({
      name,
      role: role ?? 'current',
      slots: slots.kind,
      since: 'since' in slots ? slots.since : null,
      delivery: delivery.kind,
      timetable: timetable ?? 'every hour',
    })),
  }
}
