// The specification a second time, as plainly as possible: filter an array, sort it. It shares no code with src/ on
// purpose, so that a mistake there is not repeated here.

/** A record as the API delivers it; only the members for filters and order have a type. */
export type ModelRecord = {
  readonly id: string
  readonly lastModified: string
  readonly checkedAt: string
  readonly archiveReason?: string
  readonly publicationDate?: string
  readonly submissionDate?: string
  readonly contractAmount: { readonly value: number; readonly currency: string } | null
  readonly procedureType?: string
  readonly cpvCodes: readonly string[]
  readonly nutsCodes: readonly string[]
  readonly lots: readonly { readonly cpvCodes: readonly string[] }[]
}

/** Query parameters as sent, before any encoding; a name may appear several times. */
export type Parameters = readonly (readonly [name: string, value: string])[]

/** Every record of one state that matches the query, in the order of delivery, all pages together. */
export function naiveAnswer(state: readonly ModelRecord[], parameters: Parameters): ModelRecord[] {
  const all = (name: string): string[] => parameters.filter(([key]) => key === name).map(([, value]) => value)
  const items = (name: string): string[] =>
    all(name)
      .flatMap((value) => value.split(','))
      .map((item) => item.trim())
  const one = (name: string): string | undefined => all(name)[0]
  const isAskedFor = (record: ModelRecord): boolean => {
    if (record.archiveReason !== undefined && one('updated_since') === undefined && one('archived') !== 'true')
      return false
    if (items('cpv').length > 0 && !items('cpv').some((code) => isBelow(code, record))) return false
    if (
      items('nuts').length > 0 &&
      !items('nuts').some((code) => record.nutsCodes.some((own) => own.startsWith(code.toUpperCase())))
    )
      return false
    if (
      items('procedure').length > 0 &&
      !items('procedure').some((type) => type.toLowerCase() === record.procedureType)
    )
      return false
    if (!isFrom(record.publicationDate, one('published_since'))) return false
    if (!isFrom(record.lastModified, one('updated_since'))) return false
    if (!isAfter(record.submissionDate, one('deadline_after'))) return false
    const amount = record.contractAmount
    const [min, max] = [one('value_min'), one('value_max')]
    if (min === undefined && max === undefined) return true
    if (amount === null || amount.currency !== 'EUR') return false
    return (min === undefined || amount.value >= Number(min)) && (max === undefined || amount.value <= Number(max))
  }
  return state.filter(isAskedFor).sort(inOrder)
}

function inOrder(a: ModelRecord, b: ModelRecord): number {
  if (a.lastModified !== b.lastModified) return a.lastModified < b.lastModified ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

function isBelow(code: string, record: ModelRecord): boolean {
  let stem = code.replace(/-\d$/, '')
  while (stem.length > 2 && stem.endsWith('0')) stem = stem.slice(0, -1)
  return [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)].some((own) => own.startsWith(stem))
}

function isFrom(own: string | undefined, since: string | undefined): boolean {
  return since === undefined || (own !== undefined && nanoseconds(own) >= nanoseconds(since))
}

function isAfter(own: string | undefined, limit: string | undefined): boolean {
  return limit === undefined || (own !== undefined && nanoseconds(own) > nanoseconds(limit))
}

/** Any RFC 3339 notation of the decisions D22 and D24, exactly, since 1970. */
export function nanoseconds(text: string): bigint {
  const [date, rest] = [text.slice(0, 10), text.slice(11).toUpperCase().replace(' ', '+')]
  const zoneAt = rest.search(/[Z+-]/)
  const [clock, fraction = ''] = rest.slice(0, zoneAt).split('.')
  const zone = rest.slice(zoneAt)
  const offsetMinutes =
    zone === 'Z' ? 0 : (zone[0] === '-' ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6)))
  const seconds = BigInt(new Date(`${date}T${clock}Z`).getTime()) / 1000n - BigInt(offsetMinutes * 60)
  return seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}
