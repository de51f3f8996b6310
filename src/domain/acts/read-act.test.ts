// What a notice is, by made-up notices: each act in groups of languages, and what must not be mistaken for it.
import { describe, expect, test } from 'vitest'
import type { Notice } from '../notice.ts'
import type { Act } from './act.ts'
import { spokenActs } from './act-words.ts'
import { asRead } from './as-read.ts'
import { readAct } from './read-act.ts'

const notice = (language: string, title: string, members: Partial<Notice> & { text?: string } = {}): Notice => {
  const { text, ...rest } = members
  return {
    noticeKey: 'doe:1',
    publisher: 'doe',
    format: 'eforms',
    profile: 'test',
    formType: 'competition',
    noticeType: 'cn-standard',
    language,
    languages: [language],
    title: { [language]: title },
    ...(text !== undefined && { description: { [language]: text } }),
    contractingAuthorities: [],
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    references: [],
    ...rest,
  }
}

/** By language: titles in the order of `spokenActs`, `` for an act without a title of its own. */
const titles: { readonly [language: string]: readonly string[] } = {
  de: [
    'Aufhebung der Ausschreibung: Malerarbeiten',
    'Aussetzung des Vergabeverfahrens',
    'Verlängerung der Angebotsfrist – Dachdecker',
    'Auftragsänderung: Zaunbau',
    'Berichtigungsbekanntmachung: Zaunbau',
    'Vergebener Auftrag: Zaunbau',
    'Transparenzbekanntmachung Dacharbeiten',
    'Ex-ante 12-2026 Gehweg Nord',
    'Markterkundung Dienstrad',
    'Verkauf von Brennholz',
  ],
  en: [
    'Cancellation of tender: school desks',
    'Suspension of the procedure',
    'Deadline extension – school desks',
    'Contract modification: desks',
    'Corrigendum: school desks',
    'Contract award notice – school desks',
    'Notice of intent to award: desks',
    '',
    'Prior information notice – desks',
    'Sale of used buses',
  ],
  fr: [
    'Avis d’annulation – mobilier',
    'Suspension de la procédure',
    'Report de la date limite – mobilier',
    'Avenant n° 2',
    'Avis rectificatif n° 2',
    "Avis d'attribution – mobilier",
    'Avis de transparence ex ante volontaire',
    '',
    'Consultation préalable du marché',
    'Vente de matériel de voirie',
  ],
  it: [
    'Revoca della gara – arredi',
    'Sospensione della procedura',
    'Proroga dei termini – arredi',
    'Modifica contrattuale',
    'Avviso di rettifica – arredi',
    'Avviso di aggiudicazione – arredi',
    'Avviso volontario per la trasparenza ex ante',
    '',
    'Consultazione preliminare di mercato',
    'Vendita di automezzi',
  ],
  es: [
    'Anulación de la licitación – mobiliario',
    'Suspensión del procedimiento',
    'Ampliación de plazo – mobiliario',
    'Modificación del contrato – mobiliario',
    'Rectificación del anuncio',
    'Anuncio de adjudicación – mobiliario',
    'Anuncio de transparencia previa voluntaria',
    '',
    'Consulta preliminar del mercado',
    'Venta de vehículos',
  ],
  pt: [
    'Anulação do procedimento – mobiliário',
    'Suspensão do procedimento',
    'Prorrogação do prazo – mobiliário',
    'Modificação do contrato',
    'Declaração de retificação',
    'Anúncio de adjudicação – mobiliário',
    'Anúncio voluntário de transparência ex ante',
    '',
    'Consulta preliminar ao mercado',
    'Alienação de viaturas',
  ],
  nl: [
    'Intrekking aanbesteding schoolmeubelen',
    'Opschorting procedure',
    'Verlenging inschrijftermijn – meubelen',
    'Wijziging opdracht',
    'Rectificatie – meubelen',
    'Aankondiging gegunde opdracht – meubelen',
    'Aankondiging in geval van vrijwillige transparantie vooraf',
    '',
    'Marktconsultatie meubelen',
    'Verkoop van dienstwagens',
  ],
  pl: [
    'Unieważnienie postępowania – meble',
    'Zawieszenie postępowania',
    'Przedłużenie terminu składania ofert',
    'Ogłoszenie o zmianie umowy',
    'Sprostowanie ogłoszenia – meble',
    'Ogłoszenie o udzieleniu zamówienia – meble',
    'Ogłoszenie o zamiarze zawarcia umowy',
    '',
    'Wstępne konsultacje rynkowe – meble',
    'Sprzedaż nieruchomości',
  ],
  cs: [
    'Zrušení zadávacího řízení – nábytek',
    'Pozastavení řízení',
    'Prodloužení lhůty – nábytek',
    'Změna závazku',
    'Oprava oznámení – nábytek',
    'Oznámení o výsledku – nábytek',
    'Dobrovolné oznámení o záměru',
    '',
    'Předběžné tržní konzultace – nábytek',
    'Prodej nemovitosti',
  ],
  sk: [
    'Zrušenie verejného obstarávania – nábytok',
    'Pozastavenie obstarávania',
    'Predĺženie lehoty – nábytok',
    'Zmena zmluvy',
    'Oprava oznámenia – nábytok',
    'Oznámenie o výsledku – nábytok',
    'Dobrovoľné oznámenie o zámere',
    '',
    'Prípravné trhové konzultácie',
    'Predaj majetku',
  ],
  hu: [
    'Az ajánlati felhívás visszavonása – bútor',
    'Eljárás felfüggesztése',
    'Ajánlattételi határidő meghosszabbítása',
    'Szerződésmódosítás',
    'Helyesbítő hirdetmény',
    'Tájékoztató az eljárás eredményéről',
    'Önkéntes előzetes átláthatósági hirdetmény',
    '',
    'Előzetes piaci konzultáció',
    'Értékesítési pályázat',
  ],
  ro: [
    'Anularea procedurii – mobilier',
    'Suspendarea procedurii',
    'Prelungire termen depunere',
    'Modificarea contractului',
    'Anunț de tip erată',
    'Anunț de atribuire – mobilier',
    'Anunț de transparență ex ante',
    '',
    'Consultarea pieței – mobilier',
    'Licitație vânzare',
  ],
  bg: [
    'Прекратяване на процедура – мебели',
    'Спиране на процедурата',
    'Удължаване на срока – мебели',
    'Допълнително споразумение',
    'Обявление за изменение – мебели',
    'Обявление за възложена поръчка',
    'Обявление за доброволна прозрачност',
    '',
    'Пазарни консултации – мебели',
    'Търг за продажба',
  ],
  el: [
    'Ματαίωση διαγωνισμού – έπιπλα',
    'Αναστολή διαδικασίας',
    'Παράταση προθεσμίας – έπιπλα',
    'Τροποποίηση σύμβασης',
    'Ορθή επανάληψη – έπιπλα',
    'Γνωστοποίηση συναφθείσας σύμβασης',
    'Προκήρυξη για εκούσια διαφάνεια',
    '',
    'Δημόσια διαβούλευση – έπιπλα',
    'Εκποίηση υλικών',
  ],
  hr: [
    'Poništenje postupka – namještaj',
    'Obustava postupka',
    'Produženje roka – namještaj',
    'Izmjena ugovora',
    'Ispravak obavijesti – namještaj',
    'Obavijest o dodjeli ugovora – namještaj',
    'Obavijest za dobrovoljnu ex ante transparentnost',
    '',
    'Prethodno savjetovanje – namještaj',
    'Javna dražba',
  ],
  sl: [
    'Ustavitev postopka – pohištvo',
    'Prekinitev postopka',
    'Podaljšanje roka – pohištvo',
    'Sprememba pogodbe',
    'Popravek obvestila – pohištvo',
    'Obvestilo o oddaji naročila – pohištvo',
    'Obvestilo za predhodno transparentnost',
    '',
    'Predhodno informativno obvestilo – pohištvo',
    'Prodaja nepremičnin',
  ],
  lt: [
    'Pirkimo nutraukimas – baldai',
    'Pirkimo procedūrų sustabdymas',
    'Termino pratęsimas – baldai',
    'Sutarties pakeitimas',
    'Skelbimo pakeitimas – baldai',
    'Skelbimas apie sutarties sudarymą',
    'Skelbimas dėl savanoriško ex ante skaidrumo',
    '',
    'Rinkos konsultacija – baldai',
    'Turto pardavimas',
  ],
  lv: [
    'Iepirkuma pārtraukšana – mēbeles',
    'Iepirkuma apturēšana',
    'Termiņa pagarināšana – mēbeles',
    'Līguma grozījumi',
    'Paziņojums par izmaiņām',
    'Paziņojums par līguma slēgšanas tiesību piešķiršanu',
    'Brīvprātīgs ex ante paziņojums',
    '',
    'Apspriede ar piegādātājiem – mēbeles',
    'Nekustamā īpašuma izsole',
  ],
  et: [
    'Riigihanke kehtetuks tunnistamine – mööbel',
    'Hankemenetluse peatamine',
    'Tähtaja pikendamine – mööbel',
    'Hankelepingu muutmine',
    'Hanketeate muutmine',
    'Hankelepingu sõlmimise teade',
    'Vabatahtliku eelneva avalikustamise teade',
    '',
    'Turukonsultatsioon – mööbel',
    'Vara müük',
  ],
  fi: [
    'Hankinnan keskeytys: kalusteet',
    '',
    'Tarjousajan pidennys – kalusteet',
    'Ilmoitus sopimuksen muuttamisesta',
    'Korjausilmoitus – kalusteet',
    'Jälki-ilmoitus – kalusteet',
    'Suorahankintailmoitus – kalusteet',
    '',
    'Tietopyyntö: kalusteet',
    'Kiinteistön myynti',
  ],
  sv: [
    'Avbruten upphandling – möbler',
    'Upphandling pausad',
    'Förlängd anbudstid – möbler',
    'Ändring av kontrakt',
    'Rättelse av annons – möbler',
    'Meddelande om tilldelade kontrakt – möbler',
    'Frivillig förhandsinsyn – möbler',
    '',
    'Förhandsannons – möbler',
    'Försäljning av fordon',
  ],
  da: [
    'Annullation af udbud – møbler',
    'Udbud suspenderet',
    'Fristforlængelse – møbler',
    'Ændring af kontrakt',
    'Rettelse til udbudsbekendtgørelse',
    'Bekendtgørelse om indgåede kontrakter',
    'Profylaksebekendtgørelse – møbler',
    '',
    'Markedsdialog – møbler',
    'Salg af køretøjer',
  ],
  no: [
    'Avlysning av konkurranse – møbler',
    'Konkurranse satt på vent',
    'Fristutsettelse – møbler',
    'Endring av kontrakt',
    'Endringskunngjøring – møbler',
    'Kunngjøring av kontraktsinngåelse',
    'Intensjonskunngjøring – møbler',
    '',
    'Markedsdialog – møbler',
    'Salg av kjøretøy',
  ],
  uk: [
    'Скасування закупівлі – меблі',
    'Закупівлю призупинено',
    'Продовження строку – меблі',
    'Додаткова угода',
    'Зміни до тендерної документації',
    'Звіт про результати – меблі',
    '',
    '',
    'Попередні ринкові консультації',
    'Аукціон з продажу',
  ],
}

const actOf = (spoken: (typeof spokenActs)[number]): Act =>
  spoken === 'direct' || spoken === 'restricted' ? 'ex-ante' : spoken

describe.each(Object.entries(titles))('titles in %s', (language, own) => {
  test.each(spokenActs.map((spoken, index) => [spoken, own[index]!] as const).filter(([, title]) => title !== ''))(
    '%s: %s',
    (spoken, title) => {
      expect(readAct(notice(language, title))).toMatchObject({ act: actOf(spoken), field: 'title' })
    },
  )
})

test.each([
  ['de', 'Öffentliche Ausschreibung: Malerarbeiten'],
  ['de', 'Verlängerung Lizenzen der Endpoint-Software'],
  ['de', 'U5-Verlängerung Neuhof – Baugrundgutachten'],
  ['de', 'Korrektur der Abiturprüfungen 2027'],
  ['de', 'Wiederholungsausschreibung für aufgehobene Lose 3 und 4'],
  ['de', 'Rückversetzung: Lieferung von Stühlen'],
  ['de', 'Verlegung im offenen Verfahren: Linoleum'],
  ['de', '3. FNP-Änderung Gewerbegebiet Nord'],
  ['de', 'Durchführung einer Markterkundung für das Landesamt'],
  ['de', 'Nachtragsbearbeitung für Bau und Verkehrssicherung'],
  ['de', 'Softwareentwickler (m/w/d) für Java, Rahmenvertrag'],
  ['de', 'Interessenbekundungsverfahren zur Beschaffung eines Baggers'],
  ['de', 'Vermietung und Betreuung von Tontechnik'],
  ['de', 'Lieferung Verkaufscontainer mit Innenausbau'],
  ['de', 'Beabsichtigte Vergabe von Leistungen der Kulturpflege im Forstamt'],
  ['de', 'Externer Brandschutzbeauftragter'],
  ['en', 'Suspension System for tram bogies'],
  ['en', 'Extended Access to primary care'],
  ['en', 'Cancellation criteria study'],
  ['en', 'Award ceremony catering'],
  ['en', 'Managed service direct award – materials framework'],
  ['en', 'Corrections facility maintenance'],
  ['fr', "Attribution d'une concession de service public du crématorium"],
  ['fr', 'Annulation thermique des gaz : fourniture de capteurs'],
  ['it', 'Rettifica di cilindri per motori navali'],
  ['es', 'Suministro Desisti de bolsas'],
  ['pl', 'Sprzedaż i serwis biletomatów – system'],
  ['cs', 'Oprava parkoviště a místní komunikace'],
  ['sv', 'Försäljningssystem för biljetter'],
  ['fi', 'Korjausrakentaminen: Lammin koulu'],
  ['el', 'Ανάθεση για τη διαχείριση αμοιβαίου κεφαλαίου'],
  ['da', 'Udbud af rengøring'],
])('a call stays a call: %s %s', (language, title) => {
  expect(readAct(notice(language, title))).toMatchObject({ act: 'call', rule: 'form type' })
})

test.each([
  'Den Zuschlag erteilende Stelle: Stadt Musterau. Öffentliche Ausschreibung nach VOL/A.',
  'Die Stadt beabsichtigt den Neubau einer Turnhalle mit Nebenräumen.',
  'Die Gemeinde beabsichtigt die Vergabe von Reinigungsleistungen.',
  'Rohbauarbeiten für den Bieter, auf dessen Angebot der Zuschlag erteilt werden soll.',
  'Die erste Ausschreibung wurde aufgehoben. Dies ist die erneute Ausschreibung.',
  'Schulung für Mitarbeiter (m/w/d) im TVöD-Bereich.',
])('first sentences of calls: %s', (text) => {
  expect(readAct(notice('de', 'Rohbauarbeiten', { text })).act).toBe('call')
})

test.each<[string, Act, Partial<ReturnType<typeof readAct>>]>([
  ['Name des beauftragten Unternehmens: Zaunbau Nord GmbH', 'award', {}],
  ['Auftragnehmer: Zaunbau Nord GmbH, Musterau', 'award', {}],
  ['Bekanntmachung über vergebene Aufträge\nLos 1', 'award', {}],
  [
    'Nationale Ausschreibung nach VOB\nVorinformation\n1. Öffentlicher Auftraggeber',
    'ex-ante',
    { intention: 'restricted' },
  ],
  ['Es handelt sich um eine beabsichtigte Beschränkte Ausschreibung nach VOB.', 'ex-ante', { intention: 'restricted' }],
  ['Dies ist ein Markterkundungsverfahren, in dem sich Firmen melden.', 'prior-information', {}],
])('first sentences: %s', (text, act, more) => {
  expect(readAct(notice('de', 'Zaunbau', { text }))).toMatchObject({ act, field: 'description', ...more })
})

const told = (what: string): string =>
  `Der Auftraggeber Stadt Musterau, Am Markt 1, gibt in dem Vergabeverfahren mit der Vergabenummer 12-26 zu der am 27.03.2026 ` +
  `auf www.example.org (Vergabe-ID: 3356716) veröffentlichten Bekanntmachung mit dem Titel "Aufhebung der Schranke" ${what}`

test.each<[string, Act, Partial<ReturnType<typeof readAct>>]>([
  ['folgende Berichtigung bekannt:\nPosition 1.2 entfällt.', 'correction', { of: 'call' }],
  [
    'folgende Berichtigung bekannt:\nDie Angebotsfrist wird bis zum 18.05. verlängert.',
    'deadline-extension',
    { of: 'call' },
  ],
  ['folgendes bekannt:\nDer Eröffnungstermin wird auf den 07.05.2026 10:00 Uhr festgesetzt.', 'deadline-extension', {}],
  ['folgendes bekannt:\nGemäß § 17 VOB/A wird die Ausschreibung aufgehoben.', 'cancellation', {}],
  ['folgendes bekannt:\nLos 2 wird aufgehoben, Los 1 ist nicht betroffen.', 'cancellation', { lotNumbers: ['2'] }],
  ['folgendes bekannt:\nDas Vergabeverfahren wird ausgesetzt.', 'suspension', {}],
])('a sentence about an earlier notice: %s', (what, act, more) => {
  expect(readAct(notice('de', 'Aufhebung der Schranke', { text: told(what) }))).toMatchObject({
    act,
    isFollowUp: true,
    rule: 'sentence about an earlier notice',
    ...more,
  })
})

test.each([
  ['16', 'deadline-extension'],
  ['29', 'correction'],
  ['38', 'correction'],
])('a change of subtype %s that extends a term by its text is a %s', (noticeSubtype, act) => {
  const changeText = { de: 'Verlängerung der Frist: Die Frist wird bis zum 31.10.2026 verlängert.' }
  const change = { formType: 'change', noticeSubtype, changeReasons: ['update-add'], changeText } as const
  expect(readAct(notice('de', 'Planung', change))).toMatchObject({ act })
})

test('content is believed before status, status before words, words before the form type', () => {
  const lot = { lotId: 'LOT-0001', cpvCodes: [], nutsCodes: [] }
  const won = { ...lot, result: { outcome: 'awarded' as const, winners: [{ name: 'Zaunbau Nord GmbH' }] } }
  const failed = { ...lot, result: { outcome: 'not-awarded' as const } }
  const read = (members: Partial<Notice>, title = 'Markterkundung Zaun') => readAct(notice('de', title, members))
  expect(read({ lots: [won], isCancelled: true })).toMatchObject({ act: 'award', field: 'results' })
  expect(read({ lots: [failed], formType: 'result' })).toMatchObject({ act: 'cancellation', field: 'results' })
  expect(read({ isCancelled: true })).toMatchObject({ act: 'cancellation', field: 'status' })
  expect(read({})).toMatchObject({ act: 'prior-information', field: 'title', evidence: 'Markterkundung' })
  expect(read({ formType: 'result' })).toMatchObject({ act: 'award', field: 'form type' })
  expect(read({ procedureTypeNational: 'beabsichtigte Beschränkte Ausschreibung' }, 'Zaun')).toMatchObject({
    act: 'ex-ante',
    intention: 'restricted',
    field: 'procedure',
  })
})

test('a change block says what it does, and its text says more', () => {
  const change = (reason: string, members: Partial<Notice> = {}) =>
    readAct(notice('de', 'Zaunbau', { changeReasons: [reason], ...members }))
  expect(change('cancel')).toMatchObject({ act: 'cancellation', of: 'call' })
  expect(change('susp-review')).toMatchObject({ act: 'suspension', of: 'call' })
  expect(change('cor-buy')).toMatchObject({ act: 'correction', of: 'call' })
  expect(change('cor-pub', { formType: 'result' })).toMatchObject({ act: 'correction', of: 'award' })
  expect(change('cancel-intent', { formType: 'result' })).toMatchObject({ act: 'award' })
  expect(
    change('cor-buy', { changeText: { de: 'Die Angebotsfrist wurde auf den 11.12.2026 verlängert.' } }),
  ).toMatchObject({ act: 'deadline-extension', of: 'call', field: 'change text' })
})

const changed = (language: string, text: string, members: Partial<Notice> = {}) =>
  readAct(notice(language, 'X', { changeReasons: ['update-add'], changeText: { [language]: text }, ...members }))

test.each([
  ['de', 'Das Vergabeverfahren wird aufgehoben.'],
  ['en', 'The procurement procedure has been cancelled because the budget was not approved.'],
  ['fr', 'La procédure est déclarée sans suite.'],
  ['it', 'La gara è annullata.'],
  ['es', 'Se desiste del procedimiento de licitación.'],
  ['pt', 'O procedimento foi anulado.'],
  ['nl', 'Deze procedure wordt stopgezet.'],
  ['pl', 'Postępowanie zostało unieważnione.'],
  ['sv', 'Upphandlingen avbryts.'],
  ['da', 'Udbuddet er annulleret.'],
  ['cs', 'Zadávací řízení bylo zrušeno.'],
  ['ro', 'Procedura de atribuire a fost anulată.'],
  ['de', 'Wir teilen Ihnen mit: Das Vergabeverfahren wurde gemäß § 63 Abs. 1 Nr. 2 VgV aufgehoben.'],
  ['de', 'Das Vergabeverfahren wird gemäß § 63 Abs. 1 VgV aufgehoben, da kein wirtschaftliches Angebot einging.'],
  ['en', 'The contracting authority has decided to cancel this procurement procedure.'],
  ['pl', 'Zamawiający unieważnia postępowanie.'],
  ['pl', 'Na podstawie art. 255 pkt 3 ustawy Pzp Zamawiający unieważnia postępowanie.'],
  ['es', 'El procedimiento queda desierto.'],
  ['es', 'Este procedimiento ha sido declarado desierto.'],
  ['fr', 'Cette consultation a été déclarée sans suite.'],
  ['fr', 'Le présent marché est déclaré sans suite.'],
  ['fr', "Pour motif d'intérêt général, la procédure est déclarée sans suite."],
  ['de', 'Das Verfahren wurde am 12.11.2026 aufgehoben.'],
  ['de', 'Das Verfahren wurde am 12. November 2026 aufgehoben.'],
  ['de', 'Das Vergabeverfahren wurde aus anderen schwerwiegenden Gründen aufgehoben.'],
  ['de', 'Das Vergabeverfahren wird mangels wirtschaftlicher Angebote aufgehoben.'],
  ['de', 'Das Vergabeverfahren wird aufgehoben wegen fehlender Mittel.'],
  ['en', 'Due to lack of budget, the procurement procedure has been cancelled.'],
])('the text of a change ends its call (%s)', (language, text) => {
  const reading = changed(language, text)
  expect(reading).toMatchObject({ act: 'cancellation', of: 'call', field: 'change text' })
  expect(reading.doubt).toBeUndefined()
  expect(asRead(notice(language, 'X'), reading).isCancelled).toBe(true)
})

test.each([
  ['de', 'Das Vergabeverfahren wurde von der Vergabekammer nicht aufgehoben.'],
  ['de', 'Das Verfahren wird aufgehoben, falls kein Angebot eingeht.'],
  ['en', 'If there is one tender, the procedure has been cancelled.'],
  ['en', 'This tender replaces 123456-2026: the tender has been cancelled.'],
  ['fr', 'Si le budget manque, la procédure est déclarée sans suite.'],
  ['pl', 'Jeżeli nie wpłynie oferta, postępowanie zostanie unieważnione.'],
  ['de', 'Das Verfahren wird aufgehoben. Die Angebotsfrist wird auf den 11.12.2026 verlängert.'],
  ['hr', 'Postupak javne nabave je poništen.'],
  ['en', 'The site visit for the procedure has been cancelled.'],
  ['en', 'The supplier day for this tender has been cancelled; the slides are online.'],
  ['de', 'Der Besichtigungstermin für die Ausschreibung wurde storniert.'],
  ['fr', 'La visite du site prévue dans la procédure est annulée.'],
  ['nl', 'De schouw wordt stopgezet.'],
  ['es', 'El anexo 3 ha sido anulado; se publica uno nuevo.'],
  ['pl', 'Zamawiający unieważnia odpowiedź na pytanie 3.'],
  ['de', 'Die Vergabe in Losen wird aufgehoben.'],
  ['de', 'Die Ausschreibung wurde auf der neuen Plattform eingestellt.'],
  ['de', 'Das Verfahren aus 2024 wurde aufgehoben.'],
  ['it', 'La gara precedente è andata deserta.'],
  ['de', 'Die Ausschreibung wird keinesfalls aufgehoben.'],
  ['de', 'Die Aufhebung der Ausschreibung bleibt vorbehalten.'],
  ['de', 'Die Aufhebung des Verfahrens wird geprüft.'],
  ['en', 'The notice of cancellation has been withdrawn.'],
  ['it', "L'annullamento della gara è stato revocato."],
  ['es', 'La anulación de la licitación queda anulada.'],
  ['pl', 'Zamawiający unieważnia czynność unieważnienia postępowania.'],
  ['en', 'The tender has been cancelled in part.'],
  ['en', 'The tender has been cancelled in error and remains open.'],
  ['de', 'Die Bekanntmachung wird zurückgezogen und neu veröffentlicht.'],
  ['fr', 'La procédure est annulée par erreur et reprend.'],
  ['de', 'Die Ausschreibung wurde eingestellt auf der Vergabeplattform.'],
  ['en', 'Due to illness, the site visit for the procedure has been cancelled.'],
  ['en', 'Due to illness the site visit for the procedure has been cancelled.'],
  ['de', 'Los 2: Das Vergabeverfahren wird aufgehoben.'],
  ['de', 'Das Verfahren wurde aufgehoben. Dies war ein Irrtum.'],
  ['de', 'Das Verfahren wurde aufgehoben. Die Aufhebung ist nichtig, das Verfahren läuft weiter.'],
  ['de', 'Das Vergabeverfahren wird aufgehoben. Dieser Satz entfällt.'],
  ['en', 'The procedure has been cancelled. This was an error, the tender continues.'],
  ['de', 'Aufhebung der Aufhebung der Ausschreibung'],
  ['de', 'Die Aufhebung der Aufhebung des Verfahrens.'],
  ['fr', "Annulation de l'annulation de la procédure."],
  ['es', 'Anulación de la anulación de la licitación.'],
  ['de', 'Weder wird die Ausschreibung aufgehoben noch geändert.'],
])('a doubtful end in the text of a change hides no call (%s: %s)', (language, text) => {
  const reading = changed(language, text)
  expect(['correction', 'deadline-extension']).toContain(reading.act)
  expect(asRead(notice(language, 'X'), reading).isCancelled).toBeUndefined()
})

test.each([
  ['de', 'Aufhebung der Ausschreibung: Malerarbeiten', 'Die Aufhebung war ein Irrtum. Das Verfahren läuft weiter.'],
  ['en', 'Cancellation of tender: school desks', 'The cancellation was published in error; the tender continues.'],
  ['de', 'Aufhebung der Aufhebung der Ausschreibung', 'Siehe Titel.'],
])('a title ends no call against the text of its change (%s: %s)', (language, title, text) => {
  expect(changed(language, text, { title: { [language]: title } }).act).toBe('correction')
  const told = language === 'de' ? 'Siehe Titel.' : 'See the title.'
  const plain = changed(language, told, {
    title: { [language]: title.replace('Aufhebung der Aufhebung', 'Aufhebung') },
  })
  expect(plain.act).toBe('cancellation')
})

test('an end in the text of a change names its lots, and that of a result does not reach the call', () => {
  expect(changed('en', 'Lot 2 of this procurement has been cancelled.')).toMatchObject({ lotNumbers: ['2'] })
  const ofResult = changed('de', 'Das Vergabeverfahren wird aufgehoben.', { formType: 'result' })
  expect(asRead(notice('de', 'X'), ofResult).isCancelled).toBeUndefined()
  expect(changed('de', 'Das Verfahren wird nicht aufgehoben.').doubt).toMatchObject({ act: 'cancellation' })
})

test('the forms for plans are used to end plans as well', () => {
  const plan = (language: string, title: string) => readAct(notice(language, title, { formType: 'planning' })).act
  expect(plan('fi', 'Hankinnan keskeytys: kalusteet')).toBe('cancellation')
  expect(plan('it', 'Avviso volontario per la trasparenza ex ante – arredi')).toBe('ex-ante')
  expect(plan('de', 'Zaunbau')).toBe('prior-information')
})

test('a deadline ahead is believed before first sentences, and the sentence stays as a doubt', () => {
  const reading = readAct(
    notice('de', 'Zaunbau', {
      text: 'Auftragnehmer: Zaunbau Nord GmbH',
      publicationDate: '2026-05-01T00:00:00.000Z',
      submissionDate: '2026-06-01T10:00:00.000Z',
    }),
  )
  expect(reading).toMatchObject({ act: 'call', doubt: { act: 'award', field: 'description' } })
})

test('only a pay scale makes a job offer', () => {
  expect(readAct(notice('de', 'Sachbearbeiter*in (m/w/d) (TVöD 9)')).act).toBe('other')
  expect(readAct(notice('de', 'Schulung für Sachbearbeiter (m/w/d)')).act).toBe('call')
})
