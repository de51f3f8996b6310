// Made-up notices with real codes, for tests of the consolidation: a builder for one, and small worlds of connected
// ones.
import type { Notice, NoticeLot, NoticeReference } from '../../../src/domain/notice.ts'
import { toInstant } from '../../../src/domain/time.ts'
import { type Random, randomOf } from './random.ts'

/** `2026-03-01` or `2026-03-01T10:00` as an instant; UTC. */
export function at(text: string): string {
  return toInstant(Date.parse(text.includes('T') ? `${text}:00.000Z` : `${text}T00:00:00.000Z`))
}

/** A UUID-shaped id from a number: `uuid(7)`. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

/** A contract notice of one buyer in Germany on TED; every member can be given. */
export function notice(given: Partial<Notice> & { readonly noticeKey: string }): Notice {
  return {
    publisher: given.noticeKey.split(':')[0]!,
    format: 'eforms',
    profile: 'eforms-sdk-1.10',
    formType: 'competition',
    noticeType: 'cn-standard',
    language: 'de',
    languages: ['de'],
    title: { de: 'Neubau einer Turnhalle' },
    contractingAuthorities: [{ name: 'Musterstadt Hochbauamt', nationalId: 'DE811111111', country: 'DE' }],
    cpvCodes: ['45212222'],
    nutsCodes: ['DE212'],
    lots: [],
    references: [],
    publicationDate: at('2026-01-10'),
    ...given,
  }
}

export function lot(lotId: string, given: Partial<NoticeLot> = {}): NoticeLot {
  return { lotId, cpvCodes: [], nutsCodes: [], ...given }
}

const dayMs = 86_400_000
const firstDay = Date.UTC(2026, 0, 5)

const buyers = [
  { name: 'Musterstadt Hochbauamt', nationalId: 'DE811111111', country: 'DE' },
  { name: 'Beispielkreis Abfallwirtschaft', nationalId: 'DE822222222', country: 'DE' },
  { name: 'Ville de Modèle', nationalId: '21440000100018', country: 'FR' },
  { name: 'Example Borough Waterworks', country: 'GB' },
] as const
const works = ['Turnhalle', 'Kläranlage', 'Schulbusse', 'Winterdienst', 'Netzwerktechnik']

/**
 * A world of about `procedures` procedures with their notices: announcements, calls, changes, cancellations, results,
 * modifications, copies on other portals, the same notice twice, ids copied by strangers, numbers used twice.
 */
export function noticeWorld(seed: number, procedures: number): Notice[] {
  const random = randomOf(seed)
  const notices: Notice[] = []
  for (let number = 0; number < procedures; number++) notices.push(...procedure(random, number))
  return notices
}

function procedure(random: Random, number: number): Notice[] {
  const buyer = random.pick(buyers)
  const title = { de: `${random.pick(works)} ${number % 3}` }
  const start = firstDay + random.integer(0, 60) * dayMs
  const journal = (offset: number) => `${100_000 + number * 20 + offset}-2026`
  // Some ids are copied by strangers, some notices have none.
  const procedureId = random.chance(0.1) ? uuid(1) : uuid(1000 + number)
  const internalReference = random.chance(0.3) ? `2026-${1000 + (number % 4)}` : `V-${5000 + number}`
  const lotIds = random.chance(0.3) ? [] : Array.from({ length: random.integer(1, 3) }, (_, lot) => `LOT-000${lot + 1}`)
  const isLegacy = random.chance(0.3)
  const published: Notice[] = []
  const add = (day: number, given: Partial<Notice>): Notice => {
    const offset = published.length
    const when = toInstant(start + day * dayMs + random.integer(0, 23) * 3_600_000)
    const made = notice({
      noticeKey: `ted:${journal(offset)}`,
      publicationNumber: journal(offset),
      ...(isLegacy
        ? { format: 'ted-export' as const }
        : { noticeId: uuid(50_000 + number * 20 + offset), noticeVersion: '01', procedureId }),
      internalReference,
      title,
      contractingAuthorities: [buyer],
      dispatchDate: when,
      publicationDate: when,
      ...given,
    })
    published.push(made)
    return made
  }
  const refer = (kind: NoticeReference['kind'], to: Notice): NoticeReference =>
    to.noticeId && random.chance(0.5)
      ? { kind, noticeId: to.noticeId, noticeVersion: to.noticeVersion! }
      : { kind, publicationNumber: to.publicationNumber! }
  const lots = (deadlineDay: number) =>
    lotIds.map((lotId) =>
      lot(lotId, { submissionDate: toInstant(start + (deadlineDay + random.integer(0, 1)) * dayMs) }),
    )

  const plan = random.chance(0.3) ? add(-20, { formType: 'planning', noticeType: 'pin-only' }) : undefined
  const plannedReference = plan ? [refer('planning', plan)] : []
  const { procedureId: _, ...announced } = plan ?? {}
  if (plan) published[0] = announced as Notice
  let call: Notice | undefined
  if (random.chance(0.85)) {
    const deadline = toInstant(start + 30 * dayMs)
    call = add(0, { lots: lots(30), submissionDate: deadline, references: plannedReference })
    for (let change = 0; change < 2; change++) {
      if (!random.chance(0.3)) break
      call = add(10 + change, {
        lots: lots(40),
        submissionDate: toInstant(start + 40 * dayMs),
        references: [refer('changes', call)],
        changeReasons: [random.chance(0.1) ? 'cancel' : 'update-add'],
        ...(isLegacy ? { formType: 'change' as const, noticeType: 'corr' } : {}),
      })
    }
  }
  for (let award = 0; award < 2; award++) {
    if (!random.chance(0.5)) break
    const named = lotIds.length > 1 ? [lotIds[award]!] : lotIds
    const result = random.chance(0.8)
      ? { outcome: 'awarded' as const, awardedValue: { value: 50_000, currency: 'EUR' } }
      : { outcome: 'not-awarded' as const, reason: 'no-rece' }
    add(60 + award, {
      formType: 'result',
      noticeType: 'can-standard',
      lots: named.map((lotId) => lot(lotId, { result })),
      references: call && random.chance(0.8) ? [refer('previous', call)] : [],
    })
  }
  const others: Notice[] = []
  for (const original of published) {
    if (!original.noticeId || !random.chance(0.25)) continue
    // The same notice on the national portal, without the journal's number.
    const { publicationNumber: __, ...rest } = original
    others.push({ ...rest, noticeKey: `doe:${original.noticeId}-01`, publisher: 'doe' })
  }
  if (call && random.chance(0.1)) others.push({ ...call, profile: 'eforms-sdk-1.11' })
  return [...published, ...others]
}
