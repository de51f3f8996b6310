// Cancellations that name lots, made up in many languages: which lots they end, and when they end the whole.
import { expect, test } from 'vitest'
import type { Notice } from '../notice.ts'
import { endedLots, sentenceAround } from './ended-lots.ts'
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

const told = (what: string): string => `Die Vergabestelle Musterau gibt in dem Vergabeverfahren 12-26 bekannt: ${what}`
const endedByTold = (what: string) => endedBy('de', 'Schulmöbel', told(what))

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
  ['ca', 'Lots 2 i 3 anul·lats: mobiliari', '2,3'],
  ['de', 'Aufhebung Lose 1–3', '1,2,3'],
  ['de', 'Aufhebung Lose 1 – 3', '1,2,3'],
  ['de', 'Aufhebung Lose 1 - 3: Schulmöbel', '1,2,3'],
  ['de', 'Aufhebung Lose 1/2', '1,2'],
  ['de', 'Aufhebung Los 2 – 3 Fahrzeuge', '2'],
  ['de', 'Aufhebung Los 2, 12 Fahrzeuge', '2'],
  ['de', 'Aufhebung Los 1, 2 und 4', '1,2,4'],
  ['de', 'Aufhebung Los 3/12', '3'],
  ['de', 'Aufhebung Lose 2, 3, 2026', '2,3'],
  ['de', 'Aufhebung: Los 2 Rohbau', '2'],
  ['de', 'Neubau Schule, Los 3 wird aufgehoben', '3'],
  ['de', 'Neubau Schule Los 3 Rohbau aufgehoben', '3'],
  ['de', 'Aufhebung Los 2.1', '2.1'],
  ['de', 'Aufhebung Lose 2.1 und 3', '2.1,3'],
  ['en', 'Lots 1–3 and 5 cancelled: school desks', '1,2,3,5'],
  ['en', 'Lots 1 & 3 withdrawn', '1,3'],
  ['en', 'Cancellation of lot 3 in 2025', '3'],
  ['en', 'Cancellation of lot 3 in 12 weeks', '3'],
  ['es', 'Desistimiento del lote 3 en 2 fases', '3'],
  ['nl', 'Intrekking percelen 1 t/m 4', '1,2,3,4'],
  ['nl', 'Intrekking perceel 1 t/m 4', '1,2,3,4'],
  ['nl', 'Intrekking percelen 1 tot en met 4', '1,2,3,4'],
  ['fr', 'Annulation du lot 2. Les lots 1 et 3 sont maintenus.', '2'],
  ['en', 'Lot 2 cancelled, lots 1 and 3 remain open', '2'],
  ['de', 'Aufhebung der Ausschreibung für Los 2, Los 1 bleibt bestehen', '2'],
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
  ['en', 'Cancellation notice: school desks', 'Lot 2 has been cancelled and lots 1 and 3 remain open.', '2'],
  ['it', 'Avviso di revoca: arredi', 'La gara è stata revocata per il lotto 2 e il lotto 1 prosegue.', '2'],
  ['de', 'Aufhebung der Ausschreibung', 'Los 2 wird aufgehoben, alle anderen Lose bleiben bestehen.', '2'],
  ['fr', 'Avis d’annulation : mobilier', 'Le lot 2 – chaises – est déclaré sans suite.', '2'],
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
  ['de', 'Aufhebung aller Lose: Schulmöbel', undefined],
  ['en', 'Cancellation of all lots: school desks', undefined],
  ['en', 'Cancelled: Framework for part 2 works', 'The tender has been cancelled.'],
  ['de', 'Aufgehoben: Rahmenvertrag für Los 2 des Klinikums', 'Die Ausschreibung wird aufgehoben.'],
  [
    'de',
    'Schulmöbel',
    'Das Verfahren wird aufgehoben, da für Los 1 und Los 2 keine wertbaren Angebote eingegangen sind.',
  ],
  ['de', 'Schulmöbel', 'Los 1 Rohbau wurde vergeben, das Verfahren wurde im Übrigen aufgehoben.'],
  ['fr', 'Mobilier', 'La procédure est déclarée sans suite, une seule offre ayant été reçue pour le lot 1.'],
])('%s: %s – %s ends the whole', (language, title, text) => {
  expect(endedBy(language, title, text)).toBe('the whole')
})

test.each([
  ['Das Verfahren wird aufgehoben, da für Los 1 und Los 2 keine Angebote eingegangen sind.', 'the whole'],
  ['Los 1 Rohbau wurde vergeben, das Verfahren wurde im Übrigen aufgehoben.', 'the whole'],
  ['Aufhebung des Vergabeverfahrens Neubau Schule, Los 14 Elektro, Vergabe-Nr. 12-26', ['14']],
  ['Das Verfahren wird aufgehoben, Los 1 wurde vergeben.', 'the whole'],
  ['Los 1 wurde vergeben und Los 2 wird aufgehoben.', ['2']],
  ['Aufgehoben wird das Verfahren für Los 2. Los 1 hat viele Angebote.', ['2']],
  ['Los 2 Stühle:\nDie Leistung wird aufgehoben.', ['2']],
  ['Los 2 – Stühle wird aufgehoben, da keine Angebote eingegangen sind.', ['2']],
  ['Die Ausschreibung wird für die Lose 1 – 3 aufgehoben, Los 4 bleibt bestehen.', ['1', '2', '3']],
])('told about an earlier notice: %s ends %s', (text, lots) => {
  expect(endedByTold(text)).toEqual(lots)
})

test.each([
  ['de', 'Teilaufhebung Neubau Schule'],
  ['de', 'Los Rohbau aufgehoben'],
  ['de', 'Aufhebung (Los 1 Rohbau bleibt bestehen)'],
  ['de', 'Schulmöbel', told('Das Los Stühle wird aufgehoben.')],
  ['de', 'Schulmöbel', told('Das Verfahren wird aufgehoben. Los 1 bleibt bestehen.')],
  ['fr', 'Avis d’annulation', 'La procédure est annulée. Les autres lots sont maintenus.'],
  ['es', 'Anuncio de anulación', 'Sin ofertas en los lotes 2 y 3, continúa la licitación del lote 1.'],
  ['de', 'Schulmöbel', told('Das Verfahren wird mit Ausnahme von Los 1 aufgehoben.')],
  ['en', 'Partial cancellation: school'],
  ['en', 'Lot A cancelled'],
  ['en', 'Lots 1 and 3 remain open and the remaining lots are cancelled'],
  ['en', 'Cancellation notice: school desks', 'The procurement has been cancelled, lot 1 is not affected.'],
  ['fr', 'Lot II infructueux'],
  ['it', 'Lotto B deserto'],
])('%s: %s – %s ends some lots, and hides none', (language, title, text?: string) => {
  expect(readAct(notice(language, title, text))).toMatchObject({ act: 'correction', of: 'call' })
})

test.each([
  ['fr', 'Lot 3 : démolition de bâtiments abandonnés'],
  ['fr', 'Lot 3 bâtiments abandonnés'],
  ['fr', 'Lots 3 et 4 : trains annulés'],
  ['fr', 'Lot 3 remboursement de chaque train annulé'],
  ['en', 'Lot 4 - abandoned mine remediation'],
  ['en', 'Lot 4 - cancelled line, removal of tracks'],
  ['en', 'Echo cancellation software lot 2'],
  ['es', 'Lote 3 - Limpieza de solares desiertos'],
  ['es', 'Lote 3 solares desiertos'],
  ['it', 'Lotto 3 – recupero di borghi deserti'],
  ['nl', 'Perceel 2: sloop oude school, ingetrokken dak'],
  ['de', 'Los 3: Betrieb wird eingestellt, Rückbau'],
  ['de', 'Aufhebung der Schranke Los 2'],
  ['pt', 'Lote 2: vigilância de edifícios, pátios desertos'],
])('%s: what is bought in a lot is a call, with a deadline or without: %s', (language, title) => {
  const own = notice(language, title)
  expect(readAct(own).act).toBe('call')
  expect(readAct({ ...own, submissionDate: '2026-12-30T10:00:00.000Z' }).act).toBe('call')
})

test.each([
  ['en', 'Lots 1 and 3 cancelled: school desks'],
  ['de', 'Teilaufhebung Neubau Schule'],
  ['fr', 'Lots 1 et 3 infructueux – mobilier'],
])('%s: beside a deadline that is ahead, words about lots are a doubt only: %s', (language, title) => {
  const open = { ...notice(language, title), submissionDate: '2026-12-30T10:00:00.000Z' as const }
  expect(readAct(open)).toMatchObject({ act: 'call', doubt: { field: 'title' } })
})

test('a result that fails for some lots without numbers stays a result', () => {
  expect(readAct({ ...notice('de', 'Teilaufhebung Neubau Schule'), formType: 'result' }).act).toBe('award')
})

test('a sentence as long as a document ends the lots near its verb, whatever else it names', () => {
  const lots = Array.from({ length: 8_000 }, (_, index) => `Los ${index + 1}: Stühle`).join(', ')
  const verb = 'das Verfahren wurde aufgehoben für Los 3'
  const text = `${lots}, ${verb}: ${lots}`
  const place = { start: text.indexOf(verb), end: text.indexOf(verb) + verb.length }
  const { sentence, ended } = sentenceAround(text, place)
  expect(text.length).toBeGreaterThan(200_000)
  expect(sentence.length).toBeLessThanOrEqual(2_000 + verb.length)
  expect(endedLots(sentence, 'de', ended)).toEqual({ lots: ['3'], isAside: false })
  expect(endedByTold(`${verb}: ${lots}`)).toEqual(['3'])
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
