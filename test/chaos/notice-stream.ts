// Made-up notices that arrive during a run: new, changed, extended, awarded, cancelled, merged, also in chains.
import { type FixtureNotice, fixtureXml } from '../conformance/fixture-notice.ts'
import type { Random } from '../testing/generate/random.ts'

export type NoticeStream = {
  /** Calls that are open for a long time: the stock at the beginning. */
  readonly stock: (count: number, now: number) => Document[]
  /** The notices received by `now`: about `count`. */
  readonly next: (count: number, now: number) => Document[]
  /** How many notices of each kind were made. */
  readonly made: ReadonlyMap<string, number>
}

export type Document = readonly [file: string, xml: string]

type Twin = { readonly notice: string; readonly title: string; isJoined: boolean }
type Procedure = {
  readonly name: string
  readonly members: Partial<FixtureNotice>
  /** The notice that a change would change. */
  last: string
  deadlineMs: number
  changes: number
  isOver: boolean
  /** Publications by a portal that states no procedure ID; joined by a later version that does. */
  readonly twins: Twin[]
  /** Its own call comes only after its twins: then one of those has the oldest id. */
  isCalled: boolean
}

const dayMs = 86_400_000
const cpvCodes = ['45000000', '45211100', '30192121', '79000000', '03212211', '90500000']
const nutsCodes = ['DE', 'DE21', 'DE212', 'DE300', 'FR101', 'NO081']

export function openNoticeStream(random: Random): NoticeStream {
  const procedures: Procedure[] = []
  const made = new Map<string, number>()
  let documents = 0
  let lastMs = 0

  const document = (kind: string, fixture: FixtureNotice): Document => {
    made.set(kind, (made.get(kind) ?? 0) + 1)
    documents += 1
    return [`${String(documents).padStart(6, '0')}-${kind}.xml`, fixtureXml(fixture)]
  }
  /** Dispatch times rise, so that the order of the notices of a procedure is known. */
  const dispatch = (now: number): Pick<FixtureNotice, 'dispatched' | 'published'> => {
    lastMs = Math.max(lastMs + 1, now)
    const dispatched = new Date(lastMs).toISOString()
    return { dispatched, published: dispatched.slice(0, 10) }
  }
  const instant = (ms: number): string => new Date(Math.floor(ms / 1000) * 1000).toISOString()

  const open = (deadlineMs: number): Procedure => {
    const procedure: Procedure = {
      name: `chaos-${procedures.length}`,
      members: {
        portal: random.pick(['doe', 'doffin'] as const),
        cpv: [random.pick(cpvCodes)],
        nuts: [random.pick(nutsCodes)],
        procedureType: random.pick(['open', 'restricted', 'neg-w-call']),
        lots: Array.from({ length: random.integer(1, 3) }, () => ({ cpv: [random.pick(cpvCodes)] })),
        ...(random.chance(0.5) && { value: [String(random.integer(1000, 9_000_000)), 'EUR'] as const }),
      },
      last: 'call',
      deadlineMs,
      changes: 0,
      isOver: false,
      twins: [],
      isCalled: false,
    }
    procedures.push(procedure)
    return procedure
  }
  const call = (procedure: Procedure, now: number): Document => {
    procedure.isCalled = true
    return document('new', {
      ...procedure.members,
      procedure: procedure.name,
      title: `Made-up works ${procedure.name}`,
      deadline: instant(procedure.deadlineMs),
      ...dispatch(now),
    })
  }
  const later = (procedure: Procedure, kind: FixtureNotice['kind'], now: number, title?: string): FixtureNotice => ({
    ...procedure.members,
    procedure: procedure.name,
    notice: `${kind}-${procedure.changes++}`,
    ...(kind && { kind }),
    title: title ?? `Made-up works ${procedure.name}`,
    deadline: instant(procedure.deadlineMs),
    ...dispatch(now),
  })

  const change = (procedure: Procedure, kind: string, now: number): Document => {
    const changed = later(procedure, 'change', now, `Made-up works ${procedure.name}, corrected ${procedure.changes}`)
    const before = procedure.last
    procedure.last = changed.notice!
    return document(kind, { ...changed, changes: { notice: before } })
  }
  const twin = (procedure: Procedure, now: number): Document => {
    const name = `twin-${procedure.twins.length}`
    const title = `Altogether different wording ${name} of no. ${procedures.indexOf(procedure)}`
    procedure.twins.push({ notice: name, title, isJoined: false })
    return document('twin', { ...twinNotice(procedure, name, title), withoutProcedureId: true, ...dispatch(now) })
  }
  /** The second version names the procedure: from now on the twin's tender and the procedure's are one. */
  const join = (procedure: Procedure, { notice, title }: Twin, now: number): Document =>
    document('merging', { ...twinNotice(procedure, notice, title), version: '02', ...dispatch(now) })
  const twinNotice = (procedure: Procedure, notice: string, title: string): FixtureNotice => ({
    ...procedure.members,
    portal: 'doe',
    procedure: procedure.name,
    notice,
    title,
    deadline: instant(procedure.deadlineMs),
  })

  const step = (now: number): Document[] => {
    const live = procedures.filter((each) => each.isCalled && !each.isOver)
    const current = live.length === 0 ? undefined : random.pick(live)
    const kind = current
      ? random.weighted([
          [30, 'new'],
          [10, 'short'],
          [18, 'changed'],
          [12, 'extended'],
          [8, 'awarded'],
          [4, 'cancelled'],
          [3, 'unsuccessful'],
          [5, 'twin'],
          [4, 'twinsFirst'],
          [8, 'joined'],
        ] as const)
      : 'new'
    switch (kind) {
      case 'new':
        return [call(open(now + random.integer(20, 90) * dayMs), now)]
      // Its deadline passes during the run: it closes by the clock, and may be extended afterwards.
      case 'short':
        return [call(open(now + random.integer(2000, 60_000)), now)]
      case 'changed':
        return [change(current!, kind, now)]
      case 'extended': {
        const closed = live.filter((each) => each.deadlineMs < now)
        const extended = closed.length > 0 && random.chance(0.7) ? random.pick(closed) : current!
        extended.deadlineMs = now + (random.chance(0.3) ? random.integer(5000, 30_000) : 30 * dayMs)
        return [change(extended, kind, now)]
      }
      case 'awarded':
        // Some awards are undone by a call that lists the lots again.
        current!.isOver = random.chance(0.8)
        return [document(kind, later(current!, 'award', now))]
      case 'unsuccessful':
        current!.isOver = true
        return [document(kind, later(current!, 'unsuccessful', now))]
      case 'cancelled':
        current!.isOver = true
        return [document(kind, { ...later(current!, 'cancellation', now), changes: { notice: current!.last } })]
      case 'twin':
        return [twin(current!, now)]
      case 'twinsFirst': {
        const procedure = open(now + 40 * dayMs)
        return random.chance(0.5) ? [twin(procedure, now), twin(procedure, now)] : [twin(procedure, now)]
      }
      case 'joined': {
        const joinable = procedures.filter((each) => each.twins.some(({ isJoined }) => !isJoined))
        const procedure = joinable.length > 0 ? random.pick(joinable) : undefined
        if (!procedure) return []
        if (!procedure.isCalled) return [call(procedure, now)]
        // The newest first: the older ones then form chains (survivors that are merged themselves).
        const newest = procedure.twins.findLast(({ isJoined }) => !isJoined)!
        newest.isJoined = true
        return [join(procedure, newest, now)]
      }
    }
  }

  return {
    stock: (count, now) => Array.from({ length: count }, () => call(open(now + random.integer(20, 90) * dayMs), now)),
    next: (count, now) => Array.from({ length: count }, () => step(now)).flat(),
    made,
  }
}
