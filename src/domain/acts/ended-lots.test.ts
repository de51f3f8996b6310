// Cancellations that name lots, made up in many languages: which lots they end, and when they end the whole.
import { expect, test } from 'vitest'
import type { Notice } from '../notice.ts'
import { readAct } from './read-act.ts'

const notice = (language: string, title: string, text?: string): Notice => ({
  noticeKey: 'made-up:1',
  publisher: 'made-up',
  format: 'portal',
  profile: 'made-up',
  noticeType: 'made-up',
  formType: 'competition',
  language,
  languages: [language],
  references: [],
  contractingAuthorities: [],
  cpvCodes: [],
  nutsCodes: [],
  lots: [],
  title: { [language]: title },
  ...(text !== undefined && { description: { [language]: text } }),
})

const endedBy = (language: string, title: string, text?: string): readonly string[] | 'the whole' | undefined => {
  const { act, lotNumbers } = readAct(notice(language, title, text))
  return act === 'cancellation' ? (lotNumbers ?? 'the whole') : undefined
}

test.each([
  ['de', 'Aufhebung Los 3: Zaunbau', '3'],
  ['de', 'Los 2 und Los 4 aufgehoben – Schulmöbel', '2,4'],
  ['de', 'Aufhebung der Ausschreibung, Lose 1-3: Schulmöbel', '1,2,3'],
  ['en', 'Cancellation of lot 2 – school desks', '2'],
  ['en', 'Lots 1 and 3 cancelled: school desks', '1,3'],
  ['fr', 'Lot n° 3 déclaré sans suite – mobilier scolaire', '3'],
  ['fr', 'Lots 2 et 4 infructueux : réfection du gymnase', '2,4'],
  ['fr', "Avis d'annulation : lots 1 à 3, réfection du gymnase", '1,2,3'],
  ['it', 'Annullamento lotto 2 – arredi scolastici', '2'],
  ['it', 'Gara deserta lotti 1 e 3: arredi', '1,3'],
  ['es', 'Desistimiento del lote 4: suministro de mobiliario', '4'],
  ['es', 'Lotes 2 y 5 desiertos – suministro de mobiliario', '2,5'],
  ['pt', 'Anulação do lote 3 – mobiliário escolar', '3'],
  ['nl', 'Intrekking perceel 2 – schoolmeubelen', '2'],
  ['nl', 'Percelen 1 en 2 ingetrokken: onderhoud groen', '1,2'],
  ['pl', 'Unieważnienie postępowania w części 3 – meble', '3'],
  ['pl', 'Zawiadomienie o unieważnieniu części nr 1 i 4: meble', '1,4'],
  ['cs', 'Zrušení části 2 veřejné zakázky – nábytek', '2'],
  ['cs', 'Zrušení zadávacího řízení pro části 1 až 3: nábytek', '1,2,3'],
  ['sk', 'Zrušenie verejného obstarávania, časť 2 – nábytok', '2'],
  ['hu', 'Eredménytelen eljárás: 2. rész, iskolabútor', '2'],
  ['hu', 'Tájékoztató az eljárás eredménytelenségéről – 1. és 3. rész', '1,3'],
  ['ro', 'Anularea procedurii pentru lotul 2 – mobilier', '2'],
  ['ro', 'Anulare loturile 3 și 5: mobilier școlar', '3,5'],
  ['bg', 'Прекратяване на процедурата по обособена позиция № 2 – мебели', '2'],
  ['el', 'Ματαίωση διαγωνισμού για το τμήμα 3: έπιπλα', '3'],
  ['hr', 'Poništenje postupka za grupu 2 – namještaj', '2'],
  ['sl', 'Ustavitev postopka za sklop 4: pohištvo', '4'],
  ['lt', 'Pirkimo nutraukimas, 2 dalis – baldai', '2'],
  ['lv', 'Iepirkuma pārtraukšana 3. daļā – mēbeles', '3'],
  ['et', 'Hanke kehtetuks tunnistamine, osa 2: mööbel', '2'],
  ['fi', 'Hankinnan keskeytys: osa 2, koulukalusteet', '2'],
  ['fi', 'Hankinta keskeytetty osien 1 ja 3 osalta', '1,3'],
  ['sv', 'Avbruten upphandling delområde 2 – möbler', '2'],
  ['da', 'Annullation af delaftale 3: rengøring', '3'],
  ['no', 'Avlysning av delkontrakt 2 – skolemøbler', '2'],
  ['uk', 'Закупівлю скасовано: лот 2, меблі', '2'],
  ['sr', 'Обустава поступка за партију 3 – намештај', '3'],
  ['mk', 'Поништување на постапката за дел 2: мебел', '2'],
  ['ca', 'Desistiment del procediment, lot 2: mobiliari', '2'],
])('%s: %s ends lots %s', (language, title, lots) => {
  expect(endedBy(language, title)).toEqual(lots.split(','))
})

test.each([
  ['de', 'Aufhebung der Ausschreibung Schulmöbel', 'Los 2 wird aufgehoben. Los 1 wird fortgeführt.', '2'],
  ['en', 'Cancellation notice: school desks', 'Lot 2 has been cancelled. Lots 1 and 3 are not affected.', '2'],
  ['en', 'Cancellation notice: school desks', 'Lots 1 to 3 of the contract have been withdrawn.', '1,2,3'],
  ['fr', 'Avis d’annulation : mobilier', 'La procédure est déclarée sans suite pour les lots 2 et 3.', '2,3'],
  ['it', 'Avviso di revoca: arredi', 'La gara è stata revocata limitatamente al lotto 2, il lotto 1 prosegue.', '2'],
  ['es', 'Anuncio de anulación', 'Se declara desierto el lote 3 por falta de ofertas.', '3'],
  ['nl', 'Stopzetting procedure – meubelen', 'De aanbesteding is voor perceel 4 ingetrokken.', '4'],
  ['pl', 'Unieważnienie – meble', 'Zamawiający unieważnia postępowanie w części 2, część 1 rozstrzygnięto.', '2'],
  ['sv', 'Upphandling avbruten', 'Upphandlingen har avbrutits avseende delområde 2 och 3.', '2,3'],
  ['ro', 'Anunț de anulare', 'Se anulează procedura pentru lotul 7.', '7'],
  ['fi', 'Keskeytysilmoitus', 'Hankinta on keskeytetty osan 2 osalta.', '2'],
])('%s: %s – %s ends lots %s', (language, title, text, lots) => {
  expect(endedBy(language, title, text)).toEqual(lots.split(','))
})

test.each([
  ['de', 'Aufhebung der Ausschreibung', 'Alle Lose, 1 bis 4, werden aufgehoben.'],
  ['en', 'Cancellation notice', 'All lots (lot 1, lot 2 and lot 3) have been cancelled.'],
  ['fr', 'Procédure déclarée sans suite', 'Tous les lots, du lot 1 au lot 5, sont déclarés sans suite.'],
  ['it', 'Gara deserta', 'La gara è andata deserta per tutti i lotti, lotto 1 e lotto 2.'],
  ['pl', 'Unieważnienie postępowania', 'Unieważniono wszystkie części: część 1 i część 2.'],
  ['es', 'Licitación desierta', 'Queda desierta la licitación en todos los lotes: lote 1 y lote 2.'],
  ['en', 'Cancellation of tender: 3 parking lots', undefined],
  ['fr', "Avis d'annulation : 12 logements du lotissement 4", undefined],
  ['nl', 'Intrekking aanbesteding: deel 2 van de kade', undefined],
  ['de', 'Aufhebung der Ausschreibung: Losverkauf 2027', undefined],
  ['cs', 'Zrušení zadávacího řízení – 2 části budovy', undefined],
])('%s: %s – %s ends the whole', (language, title, text) => {
  expect(endedBy(language, title, text)).toBe('the whole')
})

test.each([
  ['en', 'Part 2 of the cancelled railway: earthworks'],
  ['fr', 'Lot 3 : casques à annulation de bruit'],
  ['de', 'Los 2: Aufhebung der Schranke am Hafen'],
  ['es', 'Lote 2: islas desiertas, estudio de fauna'],
  ['it', 'Lotto 4: annullatrici di biglietti'],
  ['pl', 'Część 2: kasowniki i unieważnianie biletów'],
  ['sv', 'Del 2: avbrutna leder, röntgenutrustning'],
  ['en', 'School desks, second tender', 'Lot 2 of the earlier tender was not awarded and is offered again.'],
  ['fr', 'Mobilier scolaire', 'Le lot 2, infructueux lors de la première consultation, est relancé.'],
])('%s: %s is a call', (language, title, text?: string) => {
  expect(readAct(notice(language, title, text)).act).toBe('call')
})
