// One row of the export of eTenders, the Irish e-PPS platform, or of the open data set of its notices.
import type { FormType } from '../../../domain/notice.ts'
import type { TableRow } from '../../read-portal-notice.ts'
import { deadlineIn, durationIn, titleIn, wordIn } from '../../read-values.ts'
import { cleanField } from '../../text.ts'
import { firstMatch, homeOf, type PublishedEntry, rowParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'ie-etenders', profile: 'epps-cft-export', language: 'en', currency: 'EUR' })

const procedures = {
  'neg-wo-call': /without/i,
  'neg-w-call': /negotiat/i,
  restricted: /restricted/i,
  'comp-dial': /dialogue/i,
  innovation: /innovation/i,
  open: /^\s*open/i,
}

const natures = {
  works: 'works',
  supplies: 'supplies',
  services: 'services',
  'work related services': 'services',
} as const

/** The cell of the first column that has one of these names. */
type CellOf = (...names: readonly string[]) => string | undefined

/** Columns change their order and names: `Estimated value` is also ESTIMATED_VALUE or `Sum of Estimated value`. */
function cellsOf(row: TableRow): CellOf {
  const cells = new Map<string, string>()
  for (const [column, cell] of Object.entries(row)) {
    const name = column
      .trim()
      .toLowerCase()
      .replaceAll('_', ' ')
      .replace(/^sum of /, '')
      .replace(/ ?\/ ?/g, '/')
    if (cell !== undefined && !/^\s*(?:null|n\/a)?\s*$/i.test(cell)) cells.set(name, cell)
  }
  return (...names) => names.map((name) => cells.get(name)).find((cell) => cell !== undefined)
}

function formTypeOf(status: string, procedure: string): FormType {
  if (/award/i.test(status)) return 'result'
  if (/market consultation|request for information/i.test(procedure)) return 'consultation'
  return /prior information|\bpin\b/i.test(`${procedure} ${status}`) ? 'planning' : 'competition'
}

export const parseEtenders = rowParser(
  home,
  (row) => {
    const cell = cellsOf(row)
    return cell('tender/contract name') === undefined ? exported(cell) : published(cell)
  },
  { elseEncoding: 'windows-1252' },
)

function exported(cell: CellOf): PublishedEntry {
  const id = cleanField(cell('resource id', 'cft id', 'cftid', 'resourceid'), 50)
  const status = cleanField(cell('status'), 100) ?? ''
  const procedure = cleanField(cell('procedure'), 200)
  const formType = formTypeOf(status, procedure ?? '')
  const isResult = formType === 'result'
  const deadline = deadlineIn(cell('tenders submission deadline', 'submission deadline', 'deadline'), home.zone)
  return {
    id,
    formType,
    noticeType: status || 'cft',
    title: titleIn(cell('title', 'name'), home.language),
    description: cell('info', 'description'),
    publishedAt: cell('date published', 'date published_1', 'publication date'),
    changedAt: isResult ? cell('award date', 'awarddate') : undefined,
    deadline: isResult ? undefined : deadline,
    buyer: { name: cell('ca', 'contracting authority', 'buyer') },
    cpv: cell('cpv codes', 'cpvcodes', 'cpv'),
    estimatedValue: cell('estimated value', 'estimated value (eur)', 'estimatedvalue'),
    procedureType: firstMatch(procedures, procedure),
    isCancelled: /cancel/i.test(status),
    url: pageOf(id),
    also: {
      // A row is the call in its present state.
      id: id && `${id}@${status.toLowerCase()}/${deadline ?? ''}/${cleanField(cell('cycle'), 20) ?? ''}`,
      noticeId: id,
      procedureId: id,
      procedureTypeNational: procedure,
    },
  }
}

const pageOf = (id: string | undefined): string | undefined =>
  id && `https://www.etenders.gov.ie/epps/cft/prepareViewCfTWS.do?resourceId=${encodeURIComponent(id)}`

/** A row of the data set: the call, with its award once that is published. */
function published(cell: CellOf): PublishedEntry {
  const id = cleanField(cell('tender id'), 50)
  const winners = (cell('awarded suppliers') ?? '').split('|').filter((name) => name.trim() !== '')
  const awardedOn = cell('award published')
  const isResult = awardedOn !== undefined || winners.length > 0
  const isCancelled = cell('cancelled date') !== undefined
  const procedure = cleanField(cell('procedure'), 200)
  return {
    id,
    formType: isResult ? 'result' : 'competition',
    noticeType: cell('competition type'),
    journal: isResult ? cell('ted can link') : cell('ted notice link'),
    title: titleIn(cell('tender/contract name'), home.language),
    publishedAt: (isResult ? awardedOn : undefined) ?? cell('notice published date/contract created date'),
    deadline: isResult ? undefined : cell('tender submission deadline'),
    buyer: { name: cell('name of client contracting authority') ?? cell('contracting authority') },
    cpv: [cell('main cpv code'), cell('additional cpv codes on cft')],
    estimatedValue: cell('notice estimated value (€)', 'notice estimated value (eur)'),
    awardedValue: isResult ? cell('awarded value (€)', 'awarded value (eur)') : undefined,
    procedureType: firstMatch(procedures, procedure),
    nature: wordIn(natures, cell('contract type')),
    duration: durationIn(cell('contract duration (months)'), 'months'),
    winners: winners.map((name) => ({ name })),
    receivedTenders: cell('no of bids received'),
    isCancelled,
    url: pageOf(id),
    also: {
      id: id && `${id}@data-set/${isResult ? 'award' : isCancelled ? 'cancelled' : 'call'}`,
      noticeId: id,
      procedureId: id,
      procedureTypeNational: procedure,
    },
  }
}
