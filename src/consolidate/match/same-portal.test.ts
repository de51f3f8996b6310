// One portal: the trades and lots of a project stay apart, a notice published twice is one tender. All notices are made
// up.
import { describe, expect, test } from 'vitest'
import type { Notice } from '../../domain/notice.ts'
import { decide } from './decide.ts'
import type { MatchEdge, MatchRecord } from './match-record.ts'
import { partition } from './partition.ts'
import { prepare } from './prepare.ts'

type Sketch = {
  readonly title: string
  readonly description?: string
  readonly cpv?: readonly string[]
  readonly published?: string
  readonly deadline?: string
  readonly format?: Notice['format']
  readonly reference?: string
  readonly publisher?: string
  readonly documentsUrl?: string
}

let serial = 0

function recordOf(sketch: Sketch): MatchRecord {
  const publisher = sketch.publisher ?? 'doe'
  const notice: Notice = {
    noticeKey: `${publisher}:${String(serial++).padStart(4, '0')}`,
    publisher,
    format: sketch.format ?? 'portal',
    profile: 'test',
    formType: 'competition',
    noticeType: 'cn-standard',
    language: 'de',
    languages: ['de'],
    title: { de: sketch.title },
    ...(sketch.description ? { description: { de: sketch.description } } : {}),
    publicationDate: `${sketch.published ?? '2026-05-10'}T00:00:00.000Z`,
    ...(sketch.deadline ? { submissionDate: sketch.deadline } : {}),
    ...(sketch.reference ? { internalReference: sketch.reference } : {}),
    ...(sketch.documentsUrl ? { documentsUrl: sketch.documentsUrl } : {}),
    contractingAuthorities: [{ name: 'Stadt Quellental', country: 'DE' }],
    cpvCodes: sketch.cpv ?? [],
    nutsCodes: ['DEG'],
    lots: [],
    references: [],
  }
  return prepare(notice.noticeKey, [{ notice, rowIds: ['row'], sourceIds: [publisher] }])
}

/** The tenders that these notices make, as positions; every two are compared. */
function tendersOf(sketches: readonly Sketch[]): number[][] {
  const records = sketches.map(recordOf)
  const edges: MatchEdge[] = records.flatMap((a, at) =>
    records.slice(at + 1).map((b) => ({ left: a.key, right: b.key, ...decide(a, b, { twins: records.length }) })),
  )
  const found = partition(
    records,
    edges.filter(({ kind }) => kind !== 'none'),
    [],
  )
  return found.map(({ keys }) => keys.map((key) => records.findIndex((record) => record.key === key)))
}

const alone = (sketches: readonly Sketch[]) => sketches.map((_, at) => [at])

function verdict(a: Sketch, b: Sketch, twins = 1) {
  const [first, second] = [recordOf(a), recordOf(b)]
  const found = decide(first, second, { twins })
  expect(decide(second, first, { twins })).toEqual(found)
  return found
}

/** The words of an authority's form before and after the purchase: some 250 words that all its notices share. */
const before = `a) Öffentlicher Auftraggeber (Vergabestelle)
Name und Anschrift: Stadt Quellental, Am Brunnen 1, 99999 Quellental
Telefon: +49 3999 1234, Fax: +49 3999 1235, E-Mail: vergabe@quellental.example
b) Vergabeverfahren: Öffentliche Ausschreibung, VOB/A`
const middle = `c) Angaben zum elektronischen Vergabeverfahren und zur Ver- und Entschlüsselung der Unterlagen
Zugelassene Angebotsabgabe elektronisch in Textform mit fortgeschrittener Signatur oder Siegel mit qualifizierter Signatur, schriftlich
d) Art des Auftrags: Ausführung von Bauleistungen
e) Ort der Ausführung: 99999 Quellental
f) Art und Umfang der Leistung, gegebenenfalls aufgeteilt nach Abschnitten
Art der Leistung:`
const behind = `g) Angaben über den Zweck der baulichen Anlage, wenn auch Planungsleistungen gefordert werden
h) Aufteilung: Nein. Vergabe erfolgt nicht abschnittsweise, Angebote sind für die gesamte Leistung einzureichen
j) Nebenangebote sind nicht zugelassen, mehrere Hauptangebote sind nicht zugelassen
k) Bereitstellung der Vergabeunterlagen elektronisch, nachgefordert werden fehlende Unterlagen, deren Vorlage verlangt war
q) Sprache der Einreichung Deutsch, Zuschlagskriterium Niedrigster Preis, geforderte Sicherheiten siehe Vergabeunterlagen
v) Wesentliche Zahlungsbedingungen nach den Vergabeunterlagen, Bietergemeinschaften haften gesamtschuldnerisch mit bevollmächtigtem Vertreter
w) Präqualifizierte Unternehmen führen den Nachweis der Eignung durch Eintragung in die Liste des Vereins, nicht präqualifizierte durch Eigenerklärung
x) Nachprüfung behaupteter Verstöße: Vergabekammer des Landes, Marktplatz 7, 99998 Hauptort`

const form = (number: string, purchase: string): string =>
  `${before}\n${number === '' ? '' : `Vergabenummer:\n${number}\n`}${middle}\n${purchase}\n${behind}`

const trades = [
  'Rohbauarbeiten: Beton, Mauerwerk und Durchbrüche',
  'Trockenbauarbeiten: Installationswände und Unterdecken',
  'Fliesenarbeiten: Wandbelag, Abdichtung und Bodenbelag',
  'Malerarbeiten: Tapete, Lack und Anstrich',
  'Sanitärinstallation: Rohre, Becken und Spülkästen',
  'Elektroarbeiten: Verteiler, Leuchten und Kabelrinnen',
  'Tischlerarbeiten: Innentüren, Zargen und Küchen',
  'Dachdeckerarbeiten: Ziegel, Rinnen und Fallrohre',
  'Gerüstbauarbeiten: Standgerüst und Netze',
  'Estricharbeiten: Dämmung und Zementestrich',
  'Metallbauarbeiten: Geländer und Handläufe',
  'Lüftungsanlage: Kanäle, Gerät und Schalldämpfer',
  'Gebäudereinigung: Feinreinigung und Fenster',
]
const project = 'Umbau und Sanierung der Alten Weberei in Quellental'

describe('the trades of a project', () => {
  test('thirteen trades of one authority and the call for engineers are fourteen tenders', () => {
    const numbered = trades.map((trade, at) => ({
      title: project,
      description: form(`41_WBK_03-2026-00${String(at + 10)}`, trade),
    }))
    const engineers = {
      title: project,
      description: form('41_WBK_03-2026-0031', 'Ingenieurleistungen: Tragwerksplanung, Leistungsphasen 2 bis 6'),
    }
    expect(tendersOf([...numbered, engineers])).toEqual(alone([...numbered, engineers]))
  })

  test('the same without any number, distinguished by the text alone', () => {
    const describing = trades.map((trade) => ({ title: project, description: form('', trade) }))
    expect(tendersOf(describing)).toEqual(alone(describing))
  })

  test('a year and a serial number, joined by an underscore', () => {
    const numbered = ['2026_12', '2026_13', '2026_14'].map((number) => ({
      title: project,
      description: form(number, 'Bauleistungen nach Leistungsverzeichnis'),
    }))
    expect(tendersOf(numbered)).toEqual(alone(numbered))
  })

  test.each([
    ['in capitals before it', 'WBG 26_01', 'WBG 26_02'],
    ['in two parts', '6031 06/65/15/26/1-07', '6031 06/65/15/26/1-08'],
    ['with a gap behind the bar', 'WAN-6-0142/ 02', 'WAN-6-0142/ 03'],
    ['in quotation marks', '"KL 7_01"', '"KL 7_02"'],
  ])('award numbers %s distinguish two, and join the two notices of one', (_, first, second) => {
    const [a, b] = [first, second].map((number) => ({ title: project, description: form(number, 'Bauleistungen') }))
    expect(verdict(a!, b!)).toMatchObject({ kind: 'none', rule: 'veto-reference' })
    const later = { ...a!, published: '2026-05-19', description: `${form(first, 'Bauleistungen')}, neuer Termin` }
    expect(verdict(a!, later)).toMatchObject({ kind: 'merge', rule: 'same-number' })
  })

  test('five trades of a school that differ in their CPV alone', () => {
    const text =
      'Die Schule wird im laufenden Betrieb in drei Abschnitten saniert, die Arbeiten beginnen in den Ferien.'
    const school = ['45331100', '45311200', '45232410', '45331210', '45410000'].map((code) => ({
      title: 'Sanierung der Grundschule am Mühlrain',
      description: text,
      cpv: ['45214210', code],
    }))
    expect(tendersOf(school)).toEqual(alone(school))
    expect(tendersOf([school[0]!, school[0]!, school[1]!])).toEqual([[0, 1], [2]])
  })

  test('Los 01 to Los 08, named in the middle of the form', () => {
    const lots = trades.slice(0, 8).map((_, at) => ({
      title: 'Strangsanierung und Modernisierung Weberstraße 3 a und b in Quellental',
      description: form('', `Los 0${at + 1} nach Leistungsverzeichnis`),
    }))
    expect(form('', 'Los').indexOf('Los')).toBeGreaterThan(500)
    expect(tendersOf(lots)).toEqual(alone(lots))
  })

  test.each([
    ['Los 3', 'Los 4'],
    ['Lot 3', 'Lot 4'],
    ['Lotto 3', 'Lotto 4'],
    ['Perceel 3', 'Perceel 4'],
    ['Část 3', 'Část 4'],
    ['Zadanie 3', 'Zadanie 4'],
    ['BA 3', 'BA 4'],
    ['3. Bauabschnitt', '4. Bauabschnitt'],
    ['VE 03', 'VE 04'],
    ['Vergabeeinheit 3', 'Vergabeeinheit 4'],
    ['Gewerk 3', 'Gewerk 4'],
    ['LV 3', 'LV 4'],
  ])('%s and %s, in the title and in the text', (first, second) => {
    expect(verdict({ title: `${project}, ${first}` }, { title: `${project}, ${second}` }).kind).toBe('none')
    const [a, b] = [first, second].map((part) => ({ title: project, description: form('', `${part} der Maßnahme`) }))
    expect(verdict(a!, b!).kind).not.toBe('merge')
  })

  test('an ordinal after its own mark', () => {
    const again = (ordinal: string) => ({
      title: `Ausstattung der Fachräume TL3-${ordinal}`,
      description: 'Teillos 3, Lehrmittel für das Gymnasium, Wiederholung der aufgehobenen Ausschreibung',
      cpv: ['39162200'],
    })
    expect(verdict(again('II'), again('III'))).toMatchObject({ kind: 'none', rule: 'veto-discriminator' })
    expect(verdict(again('II'), again('II')).kind).toBe('merge')
  })

  test('a title that says more, with one text', () => {
    const text = form('', 'Erneuerung des Daches, beide Seiten')
    const [roof, scaffold] = [
      { title: 'Dachinstandsetzung Weberstraße 10-28', description: text },
      { title: 'Gerüstbauarbeiten für Dachinstandsetzung Weberstraße 10-28', description: text },
    ]
    expect(verdict(roof!, scaffold!).kind).not.toBe('merge')
  })

  test('the same words in another order', () => {
    const fleet = (first: string) => ({
      title: `Beschaffung eines Gerätewagens für die Feuerwehr ${first} der Gemeinde Oberau-Niederau`,
      description: 'Lieferung eines Fahrgestells mit Aufbau und Ausbau',
      cpv: ['34144210'],
    })
    expect(verdict(fleet('Oberau'), fleet('Niederau')).kind).not.toBe('merge')
    expect(verdict(fleet('Oberau'), fleet('Oberau')).kind).toBe('merge')
  })

  test('other addresses of the documents', () => {
    const at = (id: number) => ({
      title: project,
      description: `${form('', 'Bauleistungen')}\nUnterlagen: https://vergabe.example/unterlagen/${id}/zustellweg`,
    })
    expect(verdict(at(3369337), at(3371164)).kind).not.toBe('merge')
    expect(verdict(at(3369337), at(3369337)).kind).toBe('merge')
    const shared = ' Hilfe: https://vergabe.example/hilfe/10000'
    const [a, b] = [3369337, 3371164].map((id) => ({ ...at(id), description: `${at(id).description}${shared}` }))
    expect(verdict(a!, b!).kind).not.toBe('merge')
  })
})

describe('doubt goes to review', () => {
  const describing = (word: string): Sketch => ({
    title: 'Fachplanung der Musikschule Mühlrain',
    description: `Fachplanung technische Ausrüstung ${word}, Stufenvertrag nach HOAI, Leistungsphasen zwei bis acht, besondere Leistungen nach Absprache`,
    cpv: ['71320000'],
  })

  test('one word of a text is another', () => {
    expect(verdict(describing('ELT'), describing('HLS'))).toMatchObject({ kind: 'review', rule: 'changed-text' })
    expect(verdict(describing('ELT'), describing('ELT'))).toMatchObject({ kind: 'merge', rule: 'same-text' })
    expect(verdict(describing('Küche Labor Bühne'), describing('Mensa Garten Keller')).kind).toBe('none')
  })

  test('a misspelled or divided word is the same word, and letters of short ones tell trades apart', () => {
    expect(verdict(describing('Kälteanlagen'), describing('Kälteanalgen'))).toMatchObject({ rule: 'same-text' })
    expect(verdict(describing('Kälteanlagen'), describing('Kälte-anlagen'))).toMatchObject({ rule: 'same-text' })
    expect(verdict(describing('Kälteanlagen'), describing('Kälte-\nanlagen'))).toMatchObject({ rule: 'same-text' })
    for (const misspelled of ['Kälteanlage', 'Kälteannlagen', 'Kältaanlagen'])
      expect(verdict(describing('Kälteanlagen'), describing(misspelled))).toMatchObject({ rule: 'same-text' })
    expect(verdict(describing('Kälteanlagen'), describing('Wärmeanlagen'))).toMatchObject({ kind: 'review' })
    expect(verdict(describing('Malerarbeiten'), describing('Metallarbeiten'))).toMatchObject({ kind: 'review' })
    expect(verdict(describing('Regal'), describing('Lager'))).toMatchObject({ kind: 'review' })
  })

  test('a text that continues is one, unless more is new than old', () => {
    const short = describing('ELT')
    const longer = { ...short, description: `${short.description}. Eine Besichtigung ist verpflichtend.` }
    expect(verdict(short, longer)).toMatchObject({ kind: 'merge', rule: 'same-text' })
    const most = Array.from({ length: 40 }, (_, at) => `Wort${at}neu`).join(' ')
    expect(verdict(short, { ...short, description: `${short.description} ${most}` }).kind).toBe('none')
  })

  test('published on one day and opened in turn', () => {
    const opened = (time: string, published = '2026-05-10') => ({
      ...describing('ELT'),
      published,
      deadline: `2026-06-01T${time}:00.000Z`,
    })
    expect(verdict(opened('07:00'), opened('07:30'))).toMatchObject({ kind: 'review', rule: 'opened-in-turn' })
    expect(verdict(opened('07:00'), opened('07:00')).kind).toBe('merge')
    expect(verdict(opened('07:00'), opened('07:30', '2026-05-18')).kind).toBe('merge')
  })

  test('a text that says no more than the project', () => {
    const little = { title: 'Erweiterung Feuerwehrhaus Klausental', description: 'Bauleistungen' }
    expect(verdict(little, little)).toMatchObject({ kind: 'review', rule: 'same-text-tells-little' })
    const goods = { title: 'Dienstkleidung, Socken', description: 'Lieferung', cpv: ['18000000'] }
    expect(verdict(goods, goods).kind).not.toBe('none')
  })

  test('one number over two parts', () => {
    const part = (lot: string, cpv: string): Sketch => ({
      title: project,
      description: `Vergabenummer: Q-2026-118\n${lot} der Maßnahme, Bauleistungen nach Verzeichnis`,
      cpv: [cpv],
    })
    expect(verdict(part('Los 1', '45331100'), part('Los 1', '45331100'))).toMatchObject({ rule: 'same-number' })
    expect(verdict(part('Teil', '45331100'), part('Teil', '45311200'))).toMatchObject({
      kind: 'review',
      rule: 'same-number-other-part',
    })
    expect(verdict(part('Los 1', '45331100'), part('Los 2', '45331100')).kind).not.toBe('merge')
  })

  test('numbers of two numberings', () => {
    const [a, b] = ['V-17/2026', '2026GLM035D'].map((reference) => ({ ...describing('ELT'), reference }))
    expect(verdict(a!, b!)).toMatchObject({ kind: 'review', rule: 'other-number' })
  })
})

describe('a repeated publication is one', () => {
  test('a correction that says little but the number', () => {
    const call = { title: 'Tiefbauarbeiten', description: form('Neu-202603-23094', 'Tiefbauarbeiten, Bushaltestelle') }
    const correction = {
      title: 'Tiefbauarbeiten',
      published: '2026-05-24',
      description:
        'Der Auftraggeber gibt in dem Vergabeverfahren mit der Vergabenummer Neu-202603-23094 zu der am ' +
        '10.05.2026 veröffentlichten Bekanntmachung folgende Berichtigung bekannt: Behebung eines ' +
        'Tippfehlers.',
    }
    expect(verdict(call, correction)).toMatchObject({ kind: 'merge', rule: 'same-number' })
  })

  test('a correction that names the platform and its number', () => {
    const call = {
      title: 'Partikelmessgerät für das Labor',
      description: `${form('', 'Lieferung eines Geräts')}\nhttps://www.vergabe.example/unterlagen/3372001/zustellweg`,
    }
    const correction = {
      title: call.title,
      published: '2026-05-14',
      description:
        'Zu der auf www.vergabe.example (Vergabe-ID: 3372001) veröffentlichten Bekanntmachung: die Frist wird verlängert.',
    }
    expect(verdict(call, correction).kind).toBe('merge')
    expect(verdict(call, { ...correction, description: correction.description.replace('2001', '2002') }).kind).not.toBe(
      'merge',
    )
  })

  test.each<[string, Sketch, number]>([
    ['goods', { title: 'Neuentwicklung der Datenbank für Pflegeplätze', cpv: ['72230000'] }, 5],
    ['a trade', { title: 'Neubau Funktionsbau, Heizung und Kälteanlage Haus Lindenrain', cpv: ['45331000'] }, 5],
  ])('rows without a text, %s: the title decides', (_, row, twins) => {
    expect(verdict(row, row, twins)).toMatchObject({ kind: 'merge', rule: 'row-and-page' })
    expect(verdict(row, { ...row, cpv: [] }, 1).kind).toBe('review')
    expect(verdict(row, { ...row, published: '2026-05-18' }, twins).kind).not.toBe('merge')
  })
})
