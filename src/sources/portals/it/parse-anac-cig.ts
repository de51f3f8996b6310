// A row of ANAC's table of lot numbers to a notice of that lot.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, NoticeLot, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { type Row, readRowDocument } from '../../read-portal-notice.ts'
import { cpvCodesIn, deadlineIn, moneyIn, titleIn, wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry, wordsOf } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'it-anac-cig',
  profile: 'anac-cig-csv',
  language: 'it',
  zone: 'Europe/Rome',
  country: 'IT',
  currency: 'EUR',
}

const natures = { lavori: 'works', servizi: 'services', forniture: 'supplies' } as const

export function parseAnacCig(bytes: Uint8Array): ParsedPart[] {
  return readRowDocument(bytes, readRow, { delimiter: ';' })
}

function readRow(row: Row): Notice | Rejection {
  const cig = row['cig']
  const procedure = row['tipo_scelta_contraente']
  const outcome = row['ESITO'] ?? ''
  const formType = formOf(procedure ?? '', outcome)
  const isCancelled = wordsOf(row['DATA_CANCELLAZIONE']) !== undefined
  const cpvCodes = cpvCodesIn(row['cod_cpv'])
  const lot = compact<NoticeLot>({
    lotId: wordsOf(cig) ?? '1',
    title: titleIn(row['oggetto_lotto'], home.language),
    internalReference: wordsOf(cig),
    cpvCodes,
    nutsCodes: [],
    estimatedValue: moneyIn(row['importo_lotto'], 'EUR'),
    submissionDate: formType === 'competition' ? deadlineIn(row['data_scadenza_offerta'], home.zone) : undefined,
    result: formType === 'result' ? { outcome: /aggiudicat|^$/i.test(outcome) ? 'awarded' : 'not-awarded' } : undefined,
    cancelled: isCancelled || undefined,
  })
  return readPublishedEntry(home, {
    id: cig && (formType === 'result' ? `${cig}/result` : isCancelled ? `${cig}/cancelled` : cig),
    formType,
    noticeType: procedure,
    procedureId: row['numero_gara'],
    reference: row['numero_gara'],
    title: row['oggetto_gara'],
    publishedAt: row['data_pubblicazione'],
    deadline: formType === 'competition' ? row['data_scadenza_offerta'] : undefined,
    buyer: {
      name: row['denominazione_amministrazione_appaltante'],
      nationalId: row['cf_amministrazione_appaltante'],
    },
    cpv: cpvCodes,
    estimatedValue: row['importo_complessivo_gara'],
    procedureType: procedureOf(procedure ?? ''),
    nationalProcedure: procedure,
    nature: wordIn(natures, row['oggetto_principale_contratto']),
    lots: [lot],
    isCancelled,
  })
}

/** Direct awards have no call; of the others the column of the outcome tells. */
function formOf(procedure: string, outcome: string): FormType {
  return /^AFFIDAMENTO/i.test(procedure) || outcome.trim() !== '' ? 'result' : 'competition'
}

function procedureOf(procedure: string): ProcedureType | undefined {
  if (/^AFFIDAMENTO|SENZA PREVIA|SENZA BANDO/i.test(procedure)) return 'neg-wo-call'
  if (/APERTA/i.test(procedure)) return 'open'
  if (/RISTRETTA/i.test(procedure)) return 'restricted'
  if (/NEGOZIA/i.test(procedure)) return 'neg-w-call'
  if (/DIALOGO/i.test(procedure)) return 'comp-dial'
  return /INNOVAZIONE/i.test(procedure) ? 'innovation' : undefined
}
