// One row of the tender list of the Austrian business portal (USP): a list of cells without names.
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { readListDocument, readPortalNotice } from '../../read-portal-notice.ts'
import { deadlineIn, instantIn, organizationOf, titleIn } from '../../read-values.ts'
import { cleanField } from '../../text.ts'

const publisher = 'at-usp'
const zone = 'Europe/Vienna'
const base = 'https://ausschreibungen.usp.gv.at/at.gv.bmdw.eproc-p/public'

const textIn = (cell: unknown): string | undefined => (typeof cell === 'string' ? cell : undefined)

/** Cells: title, buyer, day of publication, deadline, id, whether it is a notice in eForms. */
function readCells(cells: readonly unknown[]): Notice | Rejection {
  const id = cleanField(textIn(cells[4]), 100)
  const buyer = organizationOf({ name: textIn(cells[1]) }, 'AT')
  const page = cells[5] === true ? 'notice-detail' : 'tender-detail'
  return readPortalNotice({
    id,
    publisher,
    profile: 'usp-tenderlist',
    noticeId: id,
    formType: textIn(cells[3]) === undefined ? 'result' : 'competition',
    noticeType: page,
    language: 'de',
    title: titleIn(textIn(cells[0]), 'de'),
    publicationDate: instantIn(textIn(cells[2]), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    submissionDate: deadlineIn(textIn(cells[3]), zone),
    url: id && `${base}/${page}?object=${encodeURIComponent(id)}`,
  })
}

/** Never throws. */
export function parseUsp(bytes: Uint8Array): ParsedPart[] {
  return readListDocument(bytes, readCells)
}
