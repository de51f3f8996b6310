// ProZorro's tenders: in OCDS, or in the portal's own form, whose one object has the members of OCDS.
import type { ParsedPart } from '../../../domain/notice.ts'
import { decodeJson, parseJson } from '../../json.ts'
import { asObject, type JsonObject, member, numberAt, objectsOf, textAt } from '../../ocds/json.ts'
import { parseDocument } from '../../parse-document.ts'

const country = 'UA'
/** Registered prefix of the portal's procedures in OCDS: both forms of a tender have one identity. */
const prefix = 'ocds-be6bcu'

/**
 * Members of the portal's own form that belong beside `tender` in a release, that say who tendered, or that mean
 * something else there: `contractPeriod` is when the contract may be signed.
 */
const otherMembers = new Set('awards contracts bids questions complaints criteria id lots contractPeriod'.split(' '))

/** Never throws. */
export function parseProzorro(bytes: Uint8Array): ParsedPart[] {
  const tender = tenderIn(bytes)
  const status = textAt(tender, 'status')
  // `draft`, `draft.publishing` …: not announced.
  if (status?.startsWith('draft'))
    return [
      { pointer: '', rejection: { reason: 'not-procurement', path: '', detail: `a draft: ${status}`.slice(0, 100) } },
    ]
  return parseDocument(tender ? Buffer.from(JSON.stringify(releaseOf(tender))) : bytes, country)
}

/** The tender of an answer in the portal's own form; undefined for every other document. */
function tenderIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const entry = asObject(parseJson(decodeJson(bytes)))
    const tender = asObject(member(entry, 'data')) ?? entry
    const isOwnForm = textAt(tender, 'tenderID') !== undefined && member(tender, 'ocid') === undefined
    return isOwnForm ? tender : undefined
  } catch {
    return undefined
  }
}

const directAward = 'direct award'

/** The kinds of procedure whose name says more than the `procurementMethod` beside it. */
function procedureOf(method: string | undefined): string | undefined {
  if (method?.startsWith('competitiveDialogue')) return 'competitive dialogue'
  return method !== undefined && /^(?:negotiation|reporting)/.test(method) ? directAward : undefined
}

/** Tenders that were handed in and not withdrawn, if the answer lists them: only then how many is known. */
function countOfBids(tender: JsonObject): number | undefined {
  const bids = objectsOf(tender, 'bids').filter((bid) =>
    /^(?:active|pending|unsuccessful)/.test(textAt(bid, 'status') ?? ''),
  )
  return numberAt(tender, 'numberOfBids') ?? (bids.length > 0 ? bids.length : undefined)
}

/** From the first to the last day on which these items are delivered. */
function deliveryOf(items: readonly JsonObject[]): JsonObject | undefined {
  const days = (name: string) =>
    items
      .map((item) => textAt(item, 'deliveryDate', name))
      .filter((day) => day !== undefined)
      .sort()
  const [startDate, endDate] = [days('startDate')[0], days('endDate').at(-1)]
  return startDate === undefined && endDate === undefined ? undefined : { startDate, endDate }
}

/** Lots with the time of delivery of their items. */
function lotsOf(tender: JsonObject): JsonObject[] {
  const items = Map.groupBy(objectsOf(tender, 'items'), (item) => textAt(item, 'relatedLot'))
  return objectsOf(tender, 'lots').map((lot) => ({
    ...lot,
    contractPeriod: deliveryOf(items.get(textAt(lot, 'id')) ?? []),
  }))
}

function releaseOf(tender: JsonObject): JsonObject {
  const number = textAt(tender, 'tenderID')
  const method = textAt(tender, 'procurementMethodType')
  const procedure = procedureOf(method)
  const changedAt = textAt(tender, 'dateModified')
  const isFramework = method?.startsWith('closeFrameworkAgreementUA') ?? false
  const awards = objectsOf(tender, 'awards').map(({ value, ...award }) => ({
    ...award,
    // With whom the framework is concluded; each value is an offer for all of it, and nothing is bought yet.
    ...(isFramework ? {} : { value }),
    relatedLots: [member(award, 'lotID')],
  }))
  const isDecided = awards.some((award) => textAt(award, 'status') === 'active')
  const members = Object.entries(tender).filter(([name]) => !otherMembers.has(name))
  return {
    ocid: `${prefix}-${number}`,
    id: `${prefix}-${number}-${changedAt}`,
    date: changedAt,
    tag: isDecided ? ['tender', 'award'] : ['tender'],
    language: 'uk',
    buyer: member(tender, 'procuringEntity'),
    tender: {
      ...Object.fromEntries(members),
      id: number,
      lots: lotsOf(tender),
      contractPeriod: deliveryOf(objectsOf(tender, 'items')),
      numberOfTenderers: countOfBids(tender),
      procurementMethodDetails: procedure,
      // A report of a contract, or a negotiation with one supplier: without a deadline there is no call.
      ...(procedure === directAward ? { procurementMethod: 'direct' } : {}),
      techniques: { hasFrameworkAgreement: isFramework },
    },
    awards,
    contracts: objectsOf(tender, 'contracts'),
  }
}
