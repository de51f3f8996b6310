// Rows that the writer of samples has none of: the export under technical names, and the open data set.
import { expect, it } from 'vitest'
import type { Notice } from '../../../domain/notice.ts'
import { parseEtenders } from './parse-etenders.ts'

function read(row: { readonly [column: string]: string }): Notice {
  const lines = [Object.keys(row), Object.values(row)].map((cells) => cells.map((cell) => `"${cell}"`).join(','))
  // Windows-1252, in which 0x80 is the sign of the euro.
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n`.replaceAll('€', '\x80'), 'latin1')
  const [part] = parseEtenders(bytes)
  if (!part || !('notice' in part)) throw new Error(JSON.stringify(part))
  return part.notice
}

it('reads the export under technical names of columns', () => {
  expect(
    read({
      TITLE: 'Repair of the Pier',
      RESOURCE_ID: '7000001',
      CA: 'Nowhere County Council',
      DATE_PUBLISHED: '03/09/2026 10:00:00',
      SUBMISSION_DEADLINE: '05/10/2026 12:00:00',
      PROCEDURE: 'Open',
      STATUS: 'Tender Submission',
      ESTIMATED_VALUE: '836000.0',
      CPV_CODES: '45241000',
    }),
  ).toMatchObject({
    formType: 'competition',
    title: { en: 'Repair of the Pier' },
    submissionDate: '2026-10-05T11:00:00.000Z',
    estimatedValue: { value: 836_000, currency: 'EUR' },
    cpvCodes: ['45241000'],
    procedureId: '7000001',
  })
})

const published = {
  'Tender ID': '7000001',
  'Parent Agreement ID': 'NULL',
  'Contracting Authority': 'The Office of Nowhere',
  'Name of Client Contracting Authority': 'Nowhere County Council',
  'Tender/Contract Name': 'Repair of the Pier',
  'Notice Published Date/Contract Created Date': '03/09/2025',
  'Competition Type': 'Bespoke',
  'Main Cpv Code': '45241000',
  'Additional CPV Codes on CFT': '45241000;45243000',
  'Contract Type': 'Works',
  Procedure: 'NULL',
  'Tender Submission Deadline': '05/10/2025',
  'Notice Estimated Value (€)': '836000',
  'Contract Duration (Months)': '6',
  'Cancelled Date': 'NULL',
  'Award Published': 'NULL',
  'Awarded Value (€)': 'NULL',
  'No of Bids Received': 'NULL',
  'Awarded Suppliers': 'NULL',
  'TED Notice Link': 'NULL',
  'TED CAN Link': 'NULL',
}

it('reads a call of the data set, where NULL is nothing', () => {
  const notice = read(published)
  expect(notice).toMatchObject({
    formType: 'competition',
    title: { en: 'Repair of the Pier' },
    procedureId: '7000001',
    contractNature: 'works',
    submissionDate: '2025-10-05T22:59:59.000Z',
    estimatedValue: { value: 836_000, currency: 'EUR' },
    cpvCodes: ['45241000', '45243000'],
    contractingAuthorities: [{ name: 'Nowhere County Council' }],
    lots: [{ duration: { value: 6, unit: 'MONTH' } }],
  })
  expect(notice.procedureTypeNational).toBeUndefined()
  expect(notice.isCancelled).toBeUndefined()
  expect(read({ ...published, 'Cancelled Date': '01/10/2025' }).isCancelled).toBe(true)
})

it('reads an award of the data set with its winners', () => {
  const { 'No of Bids Received': _, 'Notice Published Date/Contract Created Date': __, ...others } = published
  const notice = read({
    ...others,
    'Notice Published Date / Contract Created Date': '03/09/2025',
    'Award Published': '20/12/2025',
    'Awarded Value (€)': '799000.5',
    'Sum of No of Bids Received': '3',
    'Awarded Suppliers': '| Piers &amp; Quays Ltd | Masons Ltd',
  })
  expect(notice).toMatchObject({
    formType: 'result',
    procedureId: '7000001',
    publicationDate: '2025-12-20T00:00:00.000Z',
    awardedValue: { value: 799_000.5, currency: 'EUR' },
    lots: [
      {
        result: {
          outcome: 'awarded',
          receivedTenders: 3,
          winners: [{ name: 'Piers & Quays Ltd' }, { name: 'Masons Ltd' }],
        },
      },
    ],
  })
  expect(notice.submissionDate).toBeUndefined()
  expect(notice.noticeKey).not.toBe(read(published).noticeKey)
})
