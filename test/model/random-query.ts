// Random valid queries in random notations, aimed at the boundaries of the stock's content.
import type { Random } from '../testing/generate/random.ts'
import type { ModelRecord, Parameters } from './naive-answer.ts'

const procedureTypes = [
  'open',
  'restricted',
  'neg-w-call',
  'neg-wo-call',
  'comp-dial',
  'comp-tend',
  'innovation',
  'oth-single',
  'oth-mult',
  'exp-int-rail',
]

/**
 * A query on this state: from no filter to all of them, with values taken from records or made up, exactly at a match
 * or one ms next to it.
 */
export function randomQuery(random: Random, state: readonly ModelRecord[]): Parameters {
  const record = state.length > 0 && random.chance(0.9) ? random.pick(state) : undefined
  const density = random.pick([0.05, 0.2, 0.35, 0.6])
  const parameters: [string, string][] = []
  const add = (name: string, value: () => string | undefined): void => {
    if (!random.chance(density)) return
    const text = value()
    if (text !== undefined) parameters.push([name, text])
  }
  const addList = (name: string, value: () => string | undefined): void => {
    if (!random.chance(density)) return
    const values = Array.from(
      {
        length: random.weighted([
          [6, 1],
          [3, 2],
          [1, random.integer(3, 12)],
        ] as const),
      },
      value,
    )
    const known = values.filter((text) => text !== undefined)
    if (known.length > 0) parameters.push(...listNotation(random, name, known))
  }
  const someRecord = (): ModelRecord | undefined =>
    record && random.chance(0.5) ? record : state.length > 0 ? random.pick(state) : undefined
  addList('cpv', () => cpvFilter(random, someRecord()))
  addList('nuts', () => nutsFilter(random, someRecord()))
  addList('procedure', () =>
    inCase(random, random.chance(0.6) ? (someRecord()?.procedureType ?? 'open') : random.pick(procedureTypes), 'lower'),
  )
  add('published_since', () => timeFilter(random, record?.publicationDate))
  add('updated_since', () => timeFilter(random, record?.lastModified))
  add('deadline_after', () => timeFilter(random, record?.submissionDate))
  const amounts = [someRecord(), someRecord()].map((one) => amountFilter(random, one)).sort((a, b) => a - b)
  add('value_min', () => String(amounts[0]))
  add('value_max', () => String(amounts[1]))
  if (random.chance(0.4)) parameters.push(['archived', random.chance(0.75) ? 'true' : 'false'])
  return shuffled(random, parameters)
}

/** The same query written differently: other order of parameters and of list items (C98). */
export function askedOtherwise(random: Random, parameters: Parameters): Parameters {
  const lists = ['cpv', 'nuts', 'procedure']
  const merged = lists.flatMap((name): [string, string][] => {
    const items = parameters.filter(([key]) => key === name).flatMap(([, value]) => value.split(','))
    return items.length > 0 ? [[name, shuffled(random, items).join(',')]] : []
  })
  return shuffled(random, [...parameters.filter(([name]) => !lists.includes(name)), ...merged])
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const copy = [...items]
  for (let index = copy.length - 1; index > 0; index--) {
    const other = random.integer(0, index)
    ;[copy[index], copy[other]] = [copy[other]!, copy[index]!]
  }
  return copy
}

function listNotation(random: Random, name: string, items: readonly string[]): [string, string][] {
  const padded = items.map((item) => (random.chance(0.05) ? ` ${item} ` : item))
  const cut = random.chance(0.2) ? random.integer(1, padded.length) : padded.length
  return [padded.slice(0, cut), padded.slice(cut)]
    .filter((part) => part.length > 0)
    .map((part) => [name, part.join(',')])
}

function cpvFilter(random: Random, record: ModelRecord | undefined): string {
  const own = record && [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)]
  const code =
    own && own.length > 0 && random.chance(0.85)
      ? random.pick(own)
      : `${random.integer(3, 98)}`.padStart(2, '0') + random.integer(100_000, 999_999)
  const kept = random.weighted([
    [4, 2],
    [3, 3],
    [3, 4],
    [2, 5],
    [1, 6],
    [1, 7],
    [4, 8],
  ] as const)
  const cut = code.slice(0, kept).padEnd(8, '0')
  return cut.startsWith('00') ? '45000000' : cut
}

function nutsFilter(random: Random, record: ModelRecord | undefined): string {
  const own =
    record && record.nutsCodes.length > 0
      ? random.pick(record.nutsCodes)
      : random.pick(['DE2', 'FR', 'EL3', 'NO08', 'XX9'])
  const wellFormed = /^[A-Z]{2}[A-Z0-9]{0,3}$/.test(own) && !own.startsWith('GR') ? own : 'DE1'
  return inCase(random, wellFormed.slice(0, random.integer(2, 5)), 'upper')
}

function inCase(random: Random, text: string, usual: 'upper' | 'lower'): string {
  if (random.chance(0.9)) return usual === 'upper' ? text.toUpperCase() : text.toLowerCase()
  return usual === 'upper' ? text.toLowerCase() : text.toUpperCase()
}

function amountFilter(random: Random, record: ModelRecord | undefined): number {
  const value = record?.contractAmount?.value
  if (value === undefined || random.chance(0.3)) return random.integer(0, 10 ** random.integer(1, 9))
  return Math.max(0, Math.min(999_999_999_999_999, Math.floor(value) + random.integer(-1, 1)))
}

function timeFilter(random: Random, own: string | undefined): string {
  const ms =
    own === undefined || random.chance(0.2)
      ? random.integer(Date.UTC(2021, 0, 1), Date.UTC(2027, 0, 1))
      : Date.parse(own) + random.pick([-1, 0, 0, 0, 1])
  return timeNotation(random, Math.max(0, ms))
}

/**
 * One instant in one of its notations: zone, digits of the fraction (some below the millisecond), lower-case letters.
 */
export function timeNotation(random: Random, ms: number): string {
  const offsetMinutes = random.chance(0.5) ? 0 : random.pick([60, 120, -300, 330, 840, -720, 1])
  const local = new Date(ms + offsetMinutes * 60_000).toISOString()
  if (!local.startsWith('19') && !local.startsWith('20')) return new Date(ms).toISOString()
  const [seconds, fraction] = [local.slice(0, 19), local.slice(20, 23)]
  const digits = random.weighted([
    [6, fraction],
    [2, fraction.replace(/0+$/, '')],
    [2, fraction + random.pick(['000', '001', '999999', '5', '000001'])],
  ] as const)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const size = Math.abs(offsetMinutes)
  const zone =
    offsetMinutes === 0 && random.chance(0.8)
      ? 'Z'
      : `${sign}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
  const text = `${seconds}${digits === '' ? '' : `.${digits}`}${zone}`
  return random.chance(0.1) ? text.toLowerCase() : text
}
