// One row of the export of eTenders, the Irish e-PPS platform.
import type { FormType } from '../../../domain/notice.ts'
import type { TableRow } from '../../read-portal-notice.ts'
import { deadlineIn, titleIn } from '../../read-values.ts'
import { cleanField } from '../../text.ts'
import { firstMatch, homeOf, rowParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'ie-etenders', profile: 'epps-cft-export', language: 'en', currency: 'EUR' })

const procedures = {
  'neg-wo-call': /without/i,
  'neg-w-call': /negotiat/i,
  restricted: /restricted/i,
  'comp-dial': /dialogue/i,
  innovation: /innovation/i,
  open: /^\s*open/i,
}

/** A cell by any of its names, ignoring case: the columns change their order and their spelling. */
function cellOf(row: TableRow, ...names: readonly string[]): string | undefined {
  for (const [column, cell] of Object.entries(row))
    if (cell !== undefined && cell.trim() !== '' && names.includes(column.trim().toLowerCase())) return cell
  return undefined
}

function formTypeOf(status: string, procedure: string): FormType {
  if (/award/i.test(status)) return 'result'
  if (/market consultation|request for information/i.test(procedure)) return 'consultation'
  return /prior information|\bpin\b/i.test(`${procedure} ${status}`) ? 'planning' : 'competition'
}

export const parseEtenders = rowParser(home, (row) => {
  const cell = (...names: readonly string[]): string | undefined => cellOf(row, ...names)
  const id = cleanField(cell('resource id', 'cft id', 'cftid', 'resourceid'), 50)
  const status = cleanField(cell('status'), 100) ?? ''
  const procedure = cleanField(cell('procedure'), 200)
  const formType = formTypeOf(status, procedure ?? '')
  const isResult = formType === 'result'
  const deadline = deadlineIn(cell('tenders submission deadline', 'deadline'), home.zone)
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
    url: id && `https://www.etenders.gov.ie/epps/cft/prepareViewCfTWS.do?resourceId=${encodeURIComponent(id)}`,
    also: {
      // A row is the call in its present state.
      id: id && `${id}@${status.toLowerCase()}/${deadline ?? ''}/${cleanField(cell('cycle'), 20) ?? ''}`,
      noticeId: id,
      procedureId: id,
      procedureTypeNational: procedure,
    },
  }
})
