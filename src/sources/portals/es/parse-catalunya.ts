// A row of Catalonia's publications to a notice of that lot and phase.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, NoticeLot, Place } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { member, textAt } from '../../ocds/json.ts'
import { durationIn, moneyIn, nutsCodesIn, titleIn, wordIn } from '../../read-values.ts'
import { homeOf, jsonParser, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'es-catalunya', profile: 'ybgg-dgi6', language: 'ca', currency: 'EUR' })

const natures = { obres: 'works', subministraments: 'supplies', serveis: 'services' } as const
const procedures: { readonly [word: string]: ProcedureType } = {
  obert: 'open',
  'obert simplificat': 'open',
  'obert simplificat abreujat': 'open',
  restringit: 'restricted',
  'licitacio amb negociacio': 'neg-w-call',
  'negociat amb publicitat': 'neg-w-call',
  'negociat sense publicitat': 'neg-wo-call',
  'contracte menor': 'neg-wo-call',
  'adjudicacions directes no menors': 'neg-wo-call',
  'dialeg competitiu': 'comp-dial',
  'associacio per a la innovacio': 'innovation',
}

export const parseCatalunya = jsonParser(home, (row) => {
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => wordsOf(member(row, name))).find((words) => words !== undefined)
  const file = text('codi_expedient')
  const buyerId = text('codi_organ', 'codi_dir3', 'nif_organ')
  const phase = textAt(row, 'fase_publicacio') ?? textAt(row, 'estat') ?? ''
  const formType = formOf(phase, text('denominacio_adjudicatari') !== undefined)
  const lot = text('numero_lot')
  const procedure = textAt(row, 'procediment')
  const link = member(row, 'enllac_publicacio')
  const isResult = formType === 'result'
  const isCancelled = /anul·lació|anul.laci|renúncia|desistiment/i.test(phase)
  const isClosed = formType === 'competition' && !isCancelled && /avaluaci/i.test(phase)
  const whole = procedureOf(file, buyerId)
  const place = text('lloc_execucio')
  const nuts = text('codi_nuts')
  // The value of the contract is that of the lot, where there is one; that of the file covers all lots.
  const lotValue = text('valor_estimat_contracte')
  return {
    // Files are counted by each body; a row is one lot in one phase.
    id:
      whole &&
      `${whole}${lot === undefined ? '' : `/${lot}`}${isResult ? '/result' : formType === 'planning' ? '/planning' : isCancelled ? '/cancelled' : ''}`,
    formType,
    noticeType: wordsOf(phase),
    procedureId: whole,
    reference: file,
    title: [textAt(row, 'objecte_contracte'), textAt(row, 'denominacio')].find((title) => title?.trim()),
    description: textAt(row, 'denominacio'),
    publishedAt: isResult
      ? text('data_publicacio_adjudicacio', 'data_publicacio_contracte', 'data_publicacio_anunci')
      : text('data_publicacio_anunci', 'data_publicacio_contracte'),
    changedAt: isClosed ? text('data_publicacio_avaluacio') : undefined,
    deadline: isResult ? undefined : text('termini_presentacio_ofertes'),
    buyer: { name: text('nom_organ'), nationalId: text('nif_organ') },
    cpv: firstOf(text('codi_cpv')),
    nuts,
    place:
      place === undefined || place.includes('||')
        ? undefined
        : compact<Place>({ country: 'ES', nutsCode: nutsCodesIn(nuts)[0], city: place }),
    // The budget is what may be spent now; the estimated value is that of the law, with prolongations and options.
    estimatedValue:
      lot === undefined
        ? (lotValue ??
          text(
            'valor_estimat_expedient',
            'pressupost_licitacio_sense_iva_expedient',
            'pressupost_licitacio_sense_1',
            'pressupost_licitacio_sense',
            'import_licitacio_sense',
          ))
        : text('valor_estimat_expedient', 'pressupost_licitacio_sense_iva_expedient'),
    lot:
      lot === undefined
        ? undefined
        : compact<Partial<NoticeLot>>({
            lotId: lot,
            title: titleIn(text('descripcio_lot'), home.language),
            estimatedValue: moneyIn(lotValue, home.currency),
          }),
    duration: durationIn(text('durada_contracte', 'termini_durada_contracte')),
    awardedValue: isResult ? text('import_adjudicacio_sense') : undefined,
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: wordIn(natures, text('tipus_contracte')),
    outcome: isResult ? (isCancelled || /desert/i.test(phase) ? 'not-awarded' : 'awarded') : undefined,
    winners: isResult
      ? [{ name: text('denominacio_adjudicatari'), nationalId: text('identificacio_adjudicatari') }]
      : [],
    contractDate: isResult ? text('data_adjudicacio_contracte') : undefined,
    receivedTenders: isResult ? text('ofertes_rebudes') : undefined,
    isCancelled,
    isClosed,
    url: textAt(link, 'url') ?? textAt(link),
  }
})

/** `45233141-9||45233142-6` */
const firstOf = (codes: string | undefined): readonly string[] => (codes ?? '').split('||')

function procedureOf(file: string | undefined, buyerId: string | undefined): string | undefined {
  return file && `${buyerId ?? ''}/${file}`
}

function formOf(phase: string, hasWinner: boolean): FormType {
  if (/alerta futura|anunci previ|consulta preliminar/i.test(phase)) return 'planning'
  if (/adjudica|formalitz|desert|execuci/i.test(phase)) return 'result'
  return phase === '' && hasWinner ? 'result' : 'competition'
}
