// One row of the daily dump of OffeneVergaben.at: the Kerndaten of all publishers in a table.
import type { FormType, LotResult, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { readPortalNotice, readRowDocument, type TableRow } from '../../read-portal-notice.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  titleIn,
} from '../../read-values.ts'
import { cleanField } from '../../text.ts'
import { firstMatch } from '../read-published-entry.ts'

const publisher = 'at-offenevergaben'
const zone = 'Europe/Vienna'

/** The program that writes the dump, as published, writes semicolons; the page that offers it says commas. */
export const offenevergabenDelimiters = [';', ','] as const

const procedures = {
  'neg-wo-call': /ohne (?:vorherige )?bekanntmachung|direktvergabe/i,
  'neg-w-call': /verhandlungsverfahren/i,
  restricted: /nicht offen/i,
  open: /offenes verfahren/i,
  'comp-dial': /dialog/i,
}

const natures = { works: /bau/i, supplies: /liefer/i, services: /dienst/i }

/** `KD_8_1_Z2` or the like in the column `art`. */
function formTypeOf(form: string, row: TableRow): FormType {
  const code = /([12])_Z(\d)/i.exec(form)
  if (code?.[1] === '2') return code[2] === '3' ? 'cont-modif' : 'result'
  if (code?.[1] === '1') return code[2] === '1' ? 'planning' : code[2] === '4' ? 'dir-awa-pre' : 'competition'
  return row['lieferant'] ? 'result' : 'competition'
}

/** Further organizations: blocks separated by an empty line, each with the name first, then `Stammzahl: …`. */
function furtherOf(cell: string | undefined) {
  return (cell ?? '')
    .split(/\n\s*\n/)
    .map((block) => {
      const [name, ...lines] = block.split('\n')
      const id = lines.find((line) => /^Stammzahl:/i.test(line))?.replace(/^Stammzahl:\s*/i, '')
      return organizationOf({ name, nationalId: id }, 'AT')
    })
    .filter((organization) => organization !== undefined)
}

function readRow(row: TableRow): Notice | Rejection {
  const id = cleanField(row['id'], 50)
  const form = cleanField(row['art'], 50) ?? 'kerndaten'
  const formType = formTypeOf(form, row)
  const buyer = organizationOf({ name: row['auftraggeber'], nationalId: row['auftraggeber stammzahl'] }, 'AT')
  const supplier = organizationOf({ name: row['lieferant'], nationalId: row['lieferant stammzahl'] })
  const winners = [supplier, ...furtherOf(row['weitere lieferanten'])].filter((winner) => winner !== undefined)
  const value = moneyIn(row['wert'], 'EUR')
  const isResult = formType === 'result' || formType === 'cont-modif'
  const result =
    isResult && winners.length > 0
      ? compact<LotResult>({
          outcome: 'awarded',
          awardedValue: value,
          winners,
          contractDate: dayIn(row['tag vertragsabschluss']),
          receivedTenders: countIn(row['anzahl eingegangener angebote']),
        })
      : undefined
  return readPortalNotice({
    id: id && `${id}@${dayIn(row['aktualisiert']) ?? ''}`,
    publisher,
    profile: `kerndaten-dump-${form.toLowerCase()}`.slice(0, 100),
    noticeId: id,
    internalReference: cleanField(row['auftraggeber geschäftszahl'], 200),
    formType,
    noticeType: form,
    language: 'de',
    title: titleIn(row['titel'], 'de'),
    description: descriptionIn(row['beschreibung'], 'de'),
    publicationDate: instantIn(row['tag erstmalige verfügbarkeit'], zone) ?? instantIn(row['aktualisiert'], zone),
    dispatchDate: instantIn(row['aktualisiert'], zone),
    contractingAuthorities: [buyer, ...furtherOf(row['weitere auftraggeber'])].filter((one) => one !== undefined),
    procedureType: firstMatch(procedures, row['verfahrensart']),
    procedureTypeNational: cleanField(row['verfahrensart'], 200),
    contractNature: firstMatch(natures, row['auftragsart']),
    cpvCodes: cpvCodesIn(row['cpv'], row['cpv zusätzlich']),
    nutsCodes: nutsCodesIn(row['nuts_code']),
    estimatedValue: isResult ? undefined : value,
    awardedValue: isResult ? value : undefined,
    submissionDate: isResult ? undefined : deadlineIn(row['schlusstermin für den eingang'], zone),
    lots: result ? [{ lotId: '1', cpvCodes: [], nutsCodes: [], result }] : [],
    url: id && `https://offenevergaben.at/auftr%C3%A4ge/${id}`,
  })
}

/** A header line and a row. Never throws. */
export function parseOffenevergaben(bytes: Uint8Array): ParsedPart[] {
  return readRowDocument(bytes, readRow, { delimiter: offenevergabenDelimiters })
}
