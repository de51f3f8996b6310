// A row of ANAC's table of lot numbers to a notice of that lot.
import type { FormType, NoticeLot } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { cpvCodesIn, deadlineIn, moneyIn, titleIn, wordIn } from '../../read-values.ts'
import { firstMatch, homeOf, rowParser, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'it-anac-cig', profile: 'anac-cig-csv', language: 'it', currency: 'EUR' })

const procedures = {
  'neg-wo-call': /^AFFIDAMENTO|SENZA PREVIA|SENZA BANDO/i,
  open: /APERTA/i,
  restricted: /RISTRETTA/i,
  'neg-w-call': /NEGOZIA/i,
  'comp-dial': /DIALOGO/i,
  innovation: /INNOVAZIONE/i,
}

const natures = { lavori: 'works', servizi: 'services', forniture: 'supplies' } as const

export const parseAnacCig = rowParser(
  home,
  (row) => {
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
      result:
        formType === 'result' ? { outcome: /aggiudicat|^$/i.test(outcome) ? 'awarded' : 'not-awarded' } : undefined,
      cancelled: isCancelled || undefined,
    })
    return {
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
      procedureType: firstMatch(procedures, procedure),
      nationalProcedure: procedure,
      nature: wordIn(natures, row['oggetto_principale_contratto']),
      lots: [lot],
      isCancelled,
    }
  },
  { delimiter: ';' },
)

/** Direct awards have no call; for the others, the column of the outcome decides. */
function formOf(procedure: string, outcome: string): FormType {
  return /^AFFIDAMENTO/i.test(procedure) || outcome.trim() !== '' ? 'result' : 'competition'
}
