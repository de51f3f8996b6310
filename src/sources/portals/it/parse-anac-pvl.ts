// An announcement of ANAC's platform for legal publicity to a notice.
import type { FormType, NoticeLot } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { type JsonObject, member, numberAt, objectsOf, textAt } from '../../ocds/json.ts'
import { cpvCodesIn, deadlineIn, descriptionIn, moneyIn } from '../../read-values.ts'
import { homeOf, jsonParser, winnersOf, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'it-anac-pvl', profile: 'anac-avvisi-v0', language: 'it', currency: 'EUR' })

export const parseAnacPvl = jsonParser(home, (entry, text) => {
  const form = text('codiceScheda')
  const kind = text('tipo') ?? ''
  const formType = formOf(form ?? '')
  const template = member(objectsOf(entry, 'template')[0], 'template')
  const sections = objectsOf(template, 'sections')
  const buyer = sections.flatMap((section) => objectsOf(section, 'fields', 'soggetti_sa'))[0]
  // Section C is what is bought, an item a lot.
  const items = sections
    .filter((section) => textAt(section, 'name')?.startsWith('SEZ. C'))
    .flatMap((section) => objectsOf(section, 'items'))
  const lots = items.map((item, index) => lotOf(item, index, formType))
  const amounts = items
    .map((item) => numberAt(item, 'valore_complessivo_stimato'))
    .filter((value) => value !== undefined)
  const id = text('idAvviso')
  return {
    id,
    formType,
    noticeType: form,
    noticeSubtype: /_(\d{1,2})$/.exec(form ?? '')?.[1],
    procedureId: text('idAppalto'),
    title: textAt(template, 'metadata', 'titolo') ?? textAt(template, 'metadata', 'descrizione'),
    description: textAt(template, 'metadata', 'descrizione'),
    publishedAt: text('dataPubblicazione'),
    deadline:
      formType === 'competition'
        ? (text('dataScadenza') ??
          items.map((item) => textAt(item, 'termine_ricezione') ?? textAt(item, 'termine_invito')).find((date) => date))
        : undefined,
    buyer: {
      name: textAt(buyer, 'denominazione_amministrazione'),
      nationalId: textAt(buyer, 'codice_fiscale'),
    },
    cpv: items.map((item) => member(item, 'cpv')),
    estimatedValue: amounts.length > 0 ? amounts.reduce((sum, amount) => sum + amount, 0) : undefined,
    lots,
    changeReasons: /rettific/i.test(kind) ? ['update-add'] : /annull|revoc/i.test(kind) ? ['cancel'] : undefined,
    isCancelled: /annull|revoc/i.test(kind),
    isUnsuccessful: /^NAG/i.test(form ?? ''),
    url: id && `https://pubblicitalegale.anticorruzione.it/bandi/${encodeURIComponent(id)}`,
  }
})

function lotOf(item: JsonObject, index: number, formType: FormType): NoticeLot {
  const winners = winnersOf(
    home,
    objectsOf(item, 'aggiudicatari').map((winner) => ({
      name: textAt(winner, 'denominazione'),
      nationalId: textAt(winner, 'codice_fiscale'),
    })),
  )
  const value = moneyIn(member(item, 'valore_complessivo_stimato'), 'EUR')
  return compact<NoticeLot>({
    lotId: wordsOf(member(item, 'cig')) ?? String(index + 1),
    internalReference: wordsOf(member(item, 'cig')),
    description: descriptionIn(textAt(item, 'descrizione'), home.language),
    cpvCodes: cpvCodesIn(member(item, 'cpv')),
    nutsCodes: [],
    estimatedValue: value,
    submissionDate: formType === 'competition' ? deadlineIn(member(item, 'termine_ricezione'), home.zone) : undefined,
    result: formType === 'result' && winners ? { outcome: 'awarded', winners } : undefined,
  })
}

/** `P1_16`, `A1_29`, `P7_2`, `AD3`, `NAG`: the subtype of eForms where one is named, else the letter. */
function formOf(form: string): FormType {
  const subtype = Number(/^(?:P1|P2|P3|A1|A2|A3|M1|M2)_(\d{1,2})$/i.exec(form)?.[1] ?? 0)
  if (subtype >= 38) return 'cont-modif'
  if (subtype >= 29) return 'result'
  if (subtype >= 25) return 'dir-awa-pre'
  if (subtype >= 10) return 'competition'
  if (subtype >= 4) return 'planning'
  if (/^(?:A\d|AD|NAG)/i.test(form)) return 'result'
  return /^M\d/i.test(form) ? 'cont-modif' : 'competition'
}
