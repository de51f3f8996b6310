// One row of the export of eTenders, the Irish e-PPS platform.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type Row, readPortalNotice, readRowDocument } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  moneyIn,
  organizationOf,
  titleIn,
} from '../../read-values.ts'
import { cleanField } from '../../text.ts'

const publisher = 'ie-etenders'
const zone = 'Europe/Dublin'

/** A cell by any of its names, without regard to case: the columns change their order and their spelling. */
function cellOf(row: Row, ...names: readonly string[]): string | undefined {
  for (const [column, cell] of Object.entries(row))
    if (cell !== undefined && cell.trim() !== '' && names.includes(column.trim().toLowerCase())) return cell
  return undefined
}

function procedureTypeOf(label: string | undefined): string | undefined {
  if (!label) return undefined
  if (/without/i.test(label)) return 'neg-wo-call'
  if (/negotiat/i.test(label)) return 'neg-w-call'
  if (/restricted/i.test(label)) return 'restricted'
  if (/dialogue/i.test(label)) return 'comp-dial'
  if (/innovation/i.test(label)) return 'innovation'
  return /^open/i.test(label.trim()) ? 'open' : undefined
}

function formTypeOf(status: string, procedure: string): FormType {
  if (/award/i.test(status)) return 'result'
  if (/market consultation|request for information/i.test(procedure)) return 'consultation'
  return /prior information|\bpin\b/i.test(`${procedure} ${status}`) ? 'planning' : 'competition'
}

function readRow(row: Row): Notice | Rejection {
  const id = cleanField(cellOf(row, 'resource id', 'cft id', 'cftid', 'resourceid'), 50)
  const status = cleanField(cellOf(row, 'status'), 100) ?? ''
  const procedure = cleanField(cellOf(row, 'procedure'), 200)
  const formType = formTypeOf(status, procedure ?? '')
  const buyer = organizationOf({ name: cellOf(row, 'ca', 'contracting authority', 'buyer') }, 'IE')
  const published = cellOf(row, 'date published', 'date published_1', 'publication date')
  const deadline = deadlineIn(cellOf(row, 'tenders submission deadline', 'deadline'), zone)
  const awarded = cellOf(row, 'award date', 'awarddate')
  const value = moneyIn(cellOf(row, 'estimated value', 'estimated value (eur)', 'estimatedvalue'), 'EUR')
  const cycle = cleanField(cellOf(row, 'cycle'), 20)
  return readPortalNotice({
    // A row is the call in its present state.
    id: id && `${id}@${status.toLowerCase()}/${deadline ?? ''}/${cycle ?? ''}`,
    publisher,
    profile: 'epps-cft-export',
    noticeId: id,
    procedureId: id,
    formType,
    noticeType: status || 'cft',
    language: 'en',
    title: titleIn(cellOf(row, 'title', 'name'), 'en'),
    description: descriptionIn(cellOf(row, 'info', 'description'), 'en'),
    publicationDate: instantIn(published, zone),
    dispatchDate: formType === 'result' ? instantIn(awarded, zone) : undefined,
    contractingAuthorities: buyer ? [buyer] : [],
    procedureType: procedureTypeOf(procedure),
    procedureTypeNational: procedure,
    cpvCodes: cpvCodesIn(cellOf(row, 'cpv codes', 'cpvcodes', 'cpv')),
    estimatedValue: value,
    submissionDate: formType === 'result' ? undefined : deadline,
    isCancelled: /cancel/i.test(status) ? true : undefined,
    url: id && `https://www.etenders.gov.ie/epps/cft/prepareViewCfTWS.do?resourceId=${encodeURIComponent(id)}`,
  })
}

/** Never throws. */
export function parseEtenders(bytes: Uint8Array): ParsedPart[] {
  return readRowDocument(bytes, readRow)
}
