// Copies of a listing as other portals show it: one profile for each way in which portals differ.
import { dayMs, epochMs, hourMs, type Instant, minuteMs, toInstant } from '../src/domain/time.ts'
import type { Random } from '../test/testing/generate/random.ts'
import type { Listing } from './cross-portal.ts'

export const profiles = [
  'ted-prefix',
  'department',
  'shout',
  'list-row',
  'html',
  'typo',
  'truncated',
  'translated',
  'missing-cpv',
  'parent-buyer',
  'deadline-shift',
  'stale-deadline',
] as const
export type Profile = (typeof profiles)[number]

/** German labels by CPV code, for the prefix that TED writes. */
export type CpvLabels = ReadonlyMap<string, string>

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/**
 * The set has no deadlines. All tenders that a buyer publishes in one week receive the same one, to the minute: so a
 * deadline distinguishes the tenders of one buyer less than it really does.
 */
export function withDeadline(listing: Listing): Listing {
  if (!listing.published) return listing
  const hash = hashOf(listing.buyer)
  const week = Math.floor(epochMs(listing.published) / dayMs / 7)
  const deadline = (week * 7 + 30 + (hash % 5)) * dayMs + (7 + (hash % 6)) * hourMs + (hash % 2) * 30 * minuteMs
  return { ...listing, deadline: toInstant(deadline) }
}

/** As on a portal that gives only the day: read as the last second of that day, in summer time. */
const dayOnly = (instant: Instant): Instant =>
  toInstant(Math.floor(epochMs(instant) / dayMs) * dayMs + 22 * hourMs - 1000)
const moved = (instant: Instant, ms: number): Instant => toInstant(epochMs(instant) + ms)

const transliterate = (text: string): string =>
  text
    .replace(/[äöüß]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' })[letter]!)
    .replace(/[ÄÖÜ]/g, (letter) => ({ Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' })[letter]!)

const encode = (text: string): string =>
  text.replace(/[äöüÄÖÜß]/g, (letter) => `&amp;#x${letter.charCodeAt(0).toString(16).toUpperCase()};`)

const departments = [
  ' - Zentrale Vergabestelle',
  ' - Der Bürgermeister',
  ', Fachbereich Gebäudemanagement',
  ' - Hochbauamt',
  ', Referat Einkauf und Vergabe',
  ' (Submissionsstelle)',
]
const parents = [
  'Ministerium der Finanzen',
  'Vergabekammer des Landes',
  'Kommunale Wirtschafts- und Leistungsgesellschaft mbH',
  'Ingenieurgesellschaft Kaminski und Partner PartGmbB',
  'Regierungspräsidium, Vergabekammer',
]
const noticePrefixes = ['Berichtigung: ', 'Ausschreibung: ', 'Öffentliche Ausschreibung - ', 'Auftragsbekanntmachung: ']

/**
 * Typos, each in a different word of five letters or more: two letters swapped, one left out, one doubled or replaced.
 */
function typos(text: string, count: number, random: Random): string {
  const words = [...text.matchAll(/\p{L}{5,}/gu)]
  const chosen = new Set<RegExpExecArray>()
  while (chosen.size < Math.min(count, words.length)) chosen.add(random.pick(words))
  let changed = text
  for (const match of [...chosen].sort((a, b) => b.index - a.index)) {
    const word = match[0]
    const at = random.integer(1, word.length - 2)
    const slip = random.pick([
      word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2),
      word.slice(0, at) + word.slice(at + 1),
      word.slice(0, at) + word[at]! + word.slice(at),
      `${word.slice(0, at)}${random.pick([...'aeirstn'])}${word.slice(at + 1)}`,
    ])
    changed = changed.slice(0, match.index) + slip + changed.slice(match.index + word.length)
  }
  return changed
}

export function perturb(base: Listing, profile: Profile, labels: CpvLabels, random: Random): Listing {
  const published = base.published ? moved(base.published, random.integer(0, 3) * dayMs) : undefined
  const copy: Listing = {
    ...base,
    source: 'elsewhere',
    id: `${profile}:${base.id}`,
    ...(published ? { published } : {}),
  }
  const { deadline, ...withoutDeadline } = copy
  switch (profile) {
    case 'ted-prefix': {
      const label = labels.get(base.cpv[0] ?? '') ?? 'Bauarbeiten'
      return { ...copy, title: `Deutschland – ${label} – ${base.title}` }
    }
    case 'department':
      return { ...copy, buyer: base.buyer + random.pick(departments) }
    case 'shout':
      return {
        ...copy,
        title: transliterate(base.title).toUpperCase(),
        buyer: transliterate(base.buyer).toUpperCase(),
        description: transliterate(base.description ?? ''),
      }
    case 'list-row':
      return {
        source: copy.source,
        id: copy.id,
        title: base.title,
        buyer: base.buyer,
        cpv: [],
        nuts: [],
        formType: base.formType,
        language: base.language,
        ...(deadline ? { deadline: dayOnly(deadline) } : {}),
      }
    case 'html':
      return {
        ...copy,
        title: random.pick(noticePrefixes) + encode(base.title),
        buyer: encode(base.buyer),
        description: `<p>${encode(base.description ?? '').replaceAll('\n', '<br/>')}</p>`,
      }
    case 'typo':
      return {
        ...copy,
        title: typos(base.title, base.title.length > 60 ? 2 : 1, random),
        buyer: random.chance(0.3) ? typos(base.buyer, 1, random) : base.buyer,
      }
    case 'truncated': {
      const length = random.integer(55, 75)
      const title =
        base.title.length > length ? base.title.slice(0, length) + random.pick(['', '...', ' …']) : base.title
      const description = base.description?.slice(0, 250) ?? ''
      return { ...copy, title, description, ...(deadline ? { deadline: dayOnly(deadline) } : {}) }
    }
    case 'translated': {
      const [language, text] = random.pick(Object.entries(base.translations ?? {}))
      const { description: _, ...rest } = copy
      return { ...rest, language, ...text, ...(random.chance(0.2) ? { cpv: [] } : {}) }
    }
    case 'missing-cpv':
      return { ...copy, cpv: [] }
    case 'parent-buyer':
      return { ...copy, buyer: random.pick(parents) }
    case 'deadline-shift':
      return deadline
        ? {
            ...copy,
            deadline: random.chance(0.6)
              ? moved(deadline, random.pick([-2, -1, 1, 2]) * hourMs)
              : moved(dayOnly(deadline), random.pick([0, 1000])),
          }
        : withoutDeadline
    case 'stale-deadline':
      return deadline ? { ...copy, deadline: moved(deadline, random.integer(7, 28) * dayMs) } : withoutDeadline
  }
}
