import { describe, expect, test } from 'vitest'
import type { Notice } from '../../domain/notice.ts'
import type { Unit } from '../notice-units.ts'
import { blockingKeys } from './blocking-keys.ts'
import { decide } from './decide.ts'
import type { MatchRecord } from './match-record.ts'
import { prepare } from './prepare.ts'
import { twinKey } from './twin-key.ts'

type Sketch = {
  readonly publisher?: string
  readonly title: string
  readonly buyer?: string
  readonly description?: string
  readonly language?: string
  readonly deadline?: string
  readonly published?: string
  readonly cpv?: readonly string[]
  readonly nuts?: readonly string[]
  readonly reference?: string
  readonly procedureId?: string
  readonly formType?: Notice['formType']
  readonly country?: string
  readonly format?: Notice['format']
  readonly number?: string
  readonly names?: string
}

let serial = 0

function unitOf(sketch: Sketch): Unit {
  const language = sketch.language ?? 'de'
  const publisher = sketch.publisher ?? 'doe'
  const notice: Notice = {
    noticeKey: `${publisher}:${serial++}`,
    publisher,
    format: sketch.format ?? 'eforms',
    profile: 'test',
    formType: sketch.formType ?? 'competition',
    noticeType: 'cn-standard',
    language,
    languages: [language],
    title: { [language]: sketch.title },
    ...(sketch.description ? { description: { [language]: sketch.description } } : {}),
    publicationDate: `${sketch.published ?? '2026-03-02'}T00:00:00.000Z`,
    ...(sketch.deadline ? { submissionDate: sketch.deadline } : {}),
    ...(sketch.reference ? { internalReference: sketch.reference } : {}),
    ...(sketch.procedureId ? { procedureId: sketch.procedureId } : {}),
    contractingAuthorities: [{ name: sketch.buyer ?? 'Stadt Musterhausen', country: sketch.country ?? 'DE' }],
    cpvCodes: sketch.cpv ?? ['45331100'],
    nutsCodes: sketch.nuts ?? ['DE712'],
    lots: [],
    ...(sketch.number ? { publicationNumber: sketch.number } : {}),
    references: sketch.names ? [{ kind: 'previous', publicationNumber: sketch.names }] : [],
  }
  return { notice, rowIds: ['row'], sourceIds: [publisher] }
}

function recordOf(sketch: Sketch): MatchRecord {
  const unit = unitOf(sketch)
  return prepare(unit.notice.noticeKey, [unit])
}

const text =
  'Die Stadt erneuert die Heizung der Grundschule am Lindenweg. Ausgetauscht werden 2 Kessel mit je 180 kW, ' +
  '46 Heizkörper und die Regelung; der Betrieb der Schule läuft weiter.'
const base: Sketch = {
  title: 'Erneuerung der Heizungsanlage in der Grundschule Lindenweg Musterhausen',
  description: text,
  deadline: '2026-04-08T08:00:00.000Z',
}
const elsewhere = { ...base, publisher: 'ted', published: '2026-03-04' }

function verdict(a: Sketch, b: Sketch, twins = 1) {
  const [first, second] = [recordOf(a), recordOf(b)]
  const found = decide(first, second, { twins })
  expect(decide(second, first, { twins })).toEqual(found)
  return found
}

describe('one tender on two portals', () => {
  test.each<[string, Sketch]>([
    [
      'TED puts country and code before the title',
      { ...elsewhere, title: `Deutschland – Installation von Zentralheizungen – ${base.title}` },
    ],
    [
      'a department stands in the name of the buyer',
      { ...elsewhere, buyer: 'Stadt Musterhausen - Zentrale Vergabestelle' },
    ],
    [
      'capitals and transliterated umlauts',
      { ...elsewhere, title: base.title.toUpperCase(), buyer: 'STADT MUSTERHAUSEN' },
    ],
    [
      'entities encoded twice, markup and a form before the title',
      { ...elsewhere, title: `Berichtigung: <b>${base.title.replace('ü', '&amp;#xFC;')}</b>` },
    ],
    ['soft hyphens within words', { ...elsewhere, title: base.title.replace('Heizungs', 'Hei\u00adzungs\u00ad') }],
    [
      'slips of the pen',
      { ...elsewhere, title: base.title.replace('Erneuerung', 'Erneurung').replace('Grundschule', 'Grudnschule') },
    ],
    ['no CPV', { ...elsewhere, cpv: [] }],
    ['the deadline two hours later, as without a zone', { ...elsewhere, deadline: '2026-04-08T10:00:00.000Z' }],
    ['a stale deadline', { ...elsewhere, deadline: '2026-04-22T08:00:00.000Z' }],
    [
      'a list row: title, buyer and day',
      { publisher: 'list', title: base.title, deadline: '2026-04-08T21:59:59.000Z', cpv: [], nuts: [] },
    ],
    [
      'a title cut within a word',
      { ...elsewhere, title: 'Erneuerung der Heizungsanlage in der Grundschule Lindenweg Muster…' },
    ],
    ['the review body in place of the buyer', { ...elsewhere, buyer: 'Regierung von Mittelland, Vergabekammer' }],
  ])('%s', (_, other) => {
    expect(verdict(base, other)).toMatchObject({ kind: 'merge' })
    const keys = new Set(blockingKeys(recordOf(base)))
    expect(blockingKeys(recordOf(other)).some((key) => keys.has(key))).toBe(true)
  })

  test.each([
    ['Lieferung eines Geräteträgers', 'Lieferung einnes Geräteträgers'],
    ['Bauhof Musterhausen: Sanierung Bauhof', 'Bauhof Musterhausen: Sanierung Buahof'],
    ['Theater Musterau', 'Thetaer Musterau'],
    ['Neubau Multisportanlage', 'Neubau Multisportanlgae'],
  ])('a slip in a title without a text: %s, %s', (title, other) => {
    const short = { ...base, description: '', title }
    expect(verdict(short, { ...elsewhere, description: '', title: other })).toMatchObject({ kind: 'merge' })
  })

  test('a translation: numbers, codes, place and deadline agree', () => {
    const french =
      'La ville rénove le chauffage de l’école. Sont remplacés 2 chaudières de 180 kW, 46 radiateurs et la régulation.'
    const other = {
      ...elsewhere,
      language: 'fr',
      title: 'Rénovation du chauffage à l’école',
      description: french,
      cpv: ['45331100'],
    }
    expect(verdict(base, other)).toMatchObject({ kind: 'merge', rule: 'translation' })
    expect(verdict(base, { ...other, description: french.replace('46', '12').replace('180', '75') }).kind).toBe('none')
  })

  test('two feeders of one portal on one day, with the same text', () => {
    expect(verdict(base, base)).toMatchObject({ kind: 'merge', rule: 'same-text' })
  })
})

test('words for parts of a project are no marks of one part', () => {
  const whole: Sketch = { ...base, deadline: '2026-04-08T08:00:00.000Z', published: '2026-03-02' }
  const announced = (description: string): Sketch => {
    const { deadline: _, ...undated } = elsewhere
    return { ...undated, published: '2026-03-06', description: `${description} ${text.replace('46', '47')}` }
  }
  for (const words of ['Mehrere Gewerke eines Gebäudes.', 'Vergabe einzelner Lose einer Halle.', 'Alle Teile der IBA.'])
    expect(recordOf(announced(words)).discriminators).toEqual({})
  expect(recordOf(announced('Los E der Halle.')).discriminators).toEqual({ lot: ['e'] })
  expect(verdict(whole, announced('Vergabe einzelner Lose einer Halle.'))).toMatchObject({ kind: 'merge' })
})

test('a cut title whose own text continues like the other title', () => {
  const title = 'Erneuerung der Lüftungsanlage in der Mehrzweckhalle am Mühlgraben mit Brandschutzklappen'
  const whole: Sketch = { title, cpv: [], nuts: [], deadline: '2026-04-08T08:00:00.000Z' }
  const cut: Sketch = {
    ...whole,
    publisher: 'ted',
    title: `${title.slice(0, 48)}…`,
    deadline: '2026-04-08T21:59:59.000Z',
  }
  expect(verdict(whole, cut).kind).not.toBe('merge')
  expect(verdict(whole, { ...cut, description: title })).toMatchObject({ kind: 'merge', rule: 'title-and-buyer' })
  const other = title.replace('Brandschutzklappen', 'Schalldämpfern')
  expect(verdict(whole, { ...cut, description: other }).kind).not.toBe('merge')
})

test('if the title is that of the project, a text of a few words identifies the part', () => {
  const part: Sketch = {
    ...base,
    title: 'Erweiterung Kindertagesstätte Lindenweg',
    description: 'Estricharbeiten',
    cpv: ['45000000'],
  }
  const same = { ...part, publisher: 'ted', deadline: '2026-04-22T08:00:00.000Z' }
  expect(verdict(part, same, 6)).toMatchObject({ kind: 'merge' })
  expect(verdict(part, { ...same, description: 'Malerarbeiten' }, 6).kind).toBe('none')
  expect(verdict(part, { ...same, description: 'Erweiterung Kindertagesstätte' }, 6).kind).toBe('none')
})

test('a translation keeps names and is about as long', () => {
  const german: Sketch = {
    ...elsewhere,
    title: 'SAP Berater für das Rechenzentrum Nordhalde',
    description: '',
    cpv: ['72000000'],
    nuts: ['DE7'],
  }
  const french = {
    ...german,
    publisher: 'list',
    language: 'fr',
    title: 'SAP consultant pour le centre informatique Nordhalde',
  }
  expect(verdict(german, french)).toMatchObject({ kind: 'merge', rule: 'translation' })
  const nameless = french.title.replace('SAP', 'Chef').replace('Nordhalde', 'municipal')
  expect(verdict(german, { ...french, title: nameless }).kind).toBe('none')
  const long = `${french.title} avec formation des agents, maintenance corrective et évolutive, astreinte de nuit et rapport trimestriel`
  expect(verdict(german, { ...french, title: long }).kind).toBe('none')
})

test('words of two languages tell a translation from another purchase', () => {
  const german: Sketch = {
    ...elsewhere,
    title: 'Erneuerung der Beleuchtung im Rathaus',
    description: '',
    nuts: ['DE7'],
  }
  const french = { ...german, publisher: 'list', language: 'fr', title: "Renouvellement de l'éclairage de la mairie" }
  expect(verdict(german, french)).toMatchObject({ kind: 'merge', rule: 'translation' })
  expect(verdict(german, { ...french, title: "Peinture des façades de l'école" }).kind).toBe('none')
  // a language that no table has
  expect(verdict(german, { ...french, language: 'tr' }).kind).toBe('none')
})

test('a letter after a number of a translated title may be a word, but not if both have one', () => {
  const german: Sketch = {
    ...elsewhere,
    title: 'Erneuerung der Beleuchtung im Rathaus, Flure 19 bis 21',
    description: '',
  }
  const french: Sketch = {
    ...german,
    publisher: 'list',
    language: 'fr',
    title: "Renouvellement de l'éclairage de la mairie, couloirs 19 à 21",
  }
  expect(verdict(german, french)).toMatchObject({ kind: 'merge', rule: 'translation' })
  const lettered = (sketch: Sketch, from: string): Sketch => ({
    ...sketch,
    title: sketch.title.replace(/19.*21/, from),
  })
  expect(verdict(lettered(german, '19 a'), lettered(french, '19 a'))).toMatchObject({ kind: 'merge' })
  expect(verdict(lettered(german, '19 a'), lettered(french, '19 b')).rule).toBe('veto-numbers')
})

test("the row of a portal's list and its page are one tender; two documents of a journal are two, with or without a text", () => {
  const row: Sketch = { title: base.title, publisher: 'list', format: 'portal', published: '2026-03-03' }
  const page: Sketch = { ...row, published: '2026-03-02', description: text }
  expect(verdict(row, page)).toMatchObject({ kind: 'merge', rule: 'row-and-page' })
  expect(verdict(row, { ...row, published: '2026-03-04' })).toMatchObject({ kind: 'merge', rule: 'row-and-page' })
  for (const format of ['eforms', 'ted-export', 'ocds'] as const) {
    const document: Sketch = { ...row, publisher: 'ted', format }
    for (const description of ['', text])
      expect(verdict(document, { ...document, published: '2026-03-02', description }).kind).toBe('none')
    // to the minute, with a distinctive title, but still two publications
    const deadline = '2026-04-08T08:00:00.000Z'
    const title = `${base.title} einschließlich Demontage, Entsorgung und hydraulischem Abgleich der Fußbodenheizung`
    const later: Sketch = { ...document, title, deadline, published: '2026-03-12' }
    expect(verdict({ ...document, title, deadline, cpv: [] }, { ...later, cpv: [] }).kind).toBe('none')
    const asPages = [{ ...document, title, deadline }, later].map(
      (each): Sketch => ({ ...each, format: 'portal', cpv: [] }),
    )
    expect(verdict(asPages[0]!, asPages[1]!)).toMatchObject({ kind: 'merge', rule: 'row-and-page' })
  }
  // one side a page, the other a document that the same portal gives out
  expect(verdict(page, { ...row, format: 'ocds' }).kind).toBe('none')
})

test('a row that is listed again with a later deadline, while the first one runs, is the same tender', () => {
  const row: Sketch = { title: base.title, publisher: 'list', format: 'portal', published: '2026-03-03' }
  const first = { ...row, deadline: '2026-03-20T10:00:00.000Z' }
  const again = (published: string, deadline: string): Sketch => ({ ...row, published, deadline })
  const extended = again('2026-03-18', '2026-04-03T10:00:00.000Z')
  expect(verdict(first, extended)).toMatchObject({ kind: 'merge', rule: 'listed-again' })
  expect(verdict(first, { ...extended, buyer: 'Stadt Anderswo' }).kind).not.toBe('merge')
  expect(verdict(first, again('2026-03-21', '2026-04-03T10:00:00.000Z')).kind).not.toBe('merge')
  expect(verdict(first, again('2026-03-18', '2026-03-19T10:00:00.000Z')).kind).not.toBe('merge')
})

describe('two tenders', () => {
  test.each([
    ['Neubau Kita Herne', 'Neubau Kita Hamm'],
    ['Sanierung Rathaus', 'Sanierung Rathaus Eimer'],
    ['Bauhof Nordweststeg', 'Bauhof Nordoststeg'],
  ])('words that are not one slip apart: %s, %s', (title, other) => {
    const short = { ...base, description: '', title }
    expect(verdict(short, { ...elsewhere, description: '', title: other }).kind).not.toBe('merge')
  })

  test.each<[string, string, Sketch, Sketch]>([
    [
      'V1: other lots',
      'discriminator',
      { ...base, title: `${base.title}, Los 1` },
      { ...elsewhere, title: `${base.title}, Los 2` },
    ],
    [
      'V1: ordinal at the end',
      'discriminator',
      { ...base, title: `${base.title} (1)` },
      { ...elsewhere, title: `${base.title} (2)` },
    ],
    [
      'V1: Roman ordinal',
      'discriminator',
      { ...base, title: `${base.title} I` },
      { ...elsewhere, title: `${base.title} II` },
    ],
    [
      'V1: lot only in the description',
      'discriminator',
      { ...base, description: `Los 03.1: ${text}` },
      { ...elsewhere, description: `Los 03.4: ${text}` },
    ],
    [
      'V1: sections written in front',
      'discriminator',
      { ...base, title: `1. BA ${base.title}` },
      { ...elsewhere, title: `${base.title}, Bauabschnitt 2` },
    ],
    [
      'V1: lots in Spanish, only in the description',
      'discriminator',
      { ...base, description: `Lote 1: ${text}` },
      { ...elsewhere, description: `Lote 2: ${text}` },
    ],
    [
      'V1: sections, and a town whose name begins like a mark',
      'discriminator',
      { ...base, description: `Bad Lindenweg, BA 1: ${text}` },
      { ...elsewhere, description: `Bad Lindenweg, BA 2: ${text}` },
    ],
    [
      'V2: each title has a trade of its own',
      'substitution',
      { ...base, title: `${base.title}: Fliesenarbeiten` },
      { ...elsewhere, title: `${base.title}: Trockenbau` },
    ],
    [
      'V2: same text, other municipality',
      'substitution',
      { ...base, title: 'Gigabitausbau in der Gemeinde Oberaldorf' },
      { ...elsewhere, title: 'Gigabitausbau in der Gemeinde Niederbrunn' },
    ],
    [
      'V3: other numbers',
      'numbers',
      { ...base, title: `${base.title} 2026` },
      { ...elsewhere, title: `${base.title} 2027` },
    ],
    [
      'V4: other buyers',
      'buyer',
      base,
      { ...elsewhere, buyer: 'Landkreis Eichenau', deadline: '2026-04-09T08:00:00.000Z', description: '' },
    ],
    ['V5: other kinds of work', 'cpv', base, { ...elsewhere, cpv: ['33600000', '33651100'] }],
    [
      'V6: other number of the same numbering',
      'reference',
      { ...base, reference: '2026-0417' },
      { ...elsewhere, reference: '2026-0418' },
    ],
    [
      'V6: other number in the text',
      'reference',
      { ...base, description: `Vergabenr.: 2026GLM035D. ${text}` },
      { ...elsewhere, reference: '2026GLM036D' },
    ],
    ['V6: other country', 'country', base, { ...elsewhere, country: 'AT' }],
    ['V6: a copy of an older procedure', 'copy', base, { ...elsewhere, title: `${base.title} (Kopie)` }],
    [
      'V6: other procedure ids',
      'procedure',
      { ...base, procedureId: '3f0c1c9e-6f0a-4c55-9d55-0a61f2a3b001' },
      { ...elsewhere, procedureId: '3f0c1c9e-6f0a-4c55-9d55-0a61f2a3b002' },
    ],
    [
      'V7: short descriptions name other trades',
      'short-description',
      {
        ...base,
        title: 'Umbau Feuerwehrhaus Musterhausen',
        description: 'Estricharbeiten im Erdgeschoss',
        cpv: ['45000000'],
      },
      {
        ...elsewhere,
        title: 'Umbau Feuerwehrhaus Musterhausen',
        description: 'Malerarbeiten und Tapeten',
        cpv: ['45000000'],
      },
    ],
    [
      'V8: next year with an equal number',
      'time',
      { ...base, reference: '00207/2021' },
      { ...elsewhere, reference: '00207/2021', published: '2027-03-02', deadline: '2027-04-08T08:00:00.000Z' },
    ],
    [
      'V8: an announcement and its call',
      'stage',
      { ...base, formType: 'planning', published: '2025-12-01' },
      elsewhere,
    ],
    [
      'V8: results far apart',
      'time',
      { ...base, formType: 'result' },
      { ...elsewhere, formType: 'result', published: '2026-06-04' },
    ],
  ])('%s', (_, veto, a, b) => {
    expect(verdict(a, b)).toMatchObject({ kind: 'none', rule: `veto-${veto}` })
  })

  test('a part has the title of the whole project', () => {
    const whole = { ...base, title: 'Erweiterung und Sanierung Grundschule Lindenweg', cpv: ['45214210'] }
    const part = {
      ...elsewhere,
      title: 'Erweiterung und Sanierung Grundschule Lindenweg Blitzschutz',
      description: 'Blitzschutz und Erdung nach Plan',
      cpv: ['45312310'],
    }
    expect(verdict(whole, part).kind).toBe('none')
  })

  test.each<[string, Sketch, Sketch]>([
    ['a lot and the whole, with one text and one deadline', base, { ...elsewhere, title: `Los 2: ${base.title}` }],
    ['a number more', base, { ...elsewhere, title: `${base.title} 2` }],
    ['a number more, glued to the word', base, { ...elsewhere, title: `${base.title}2` }],
    [
      'a trade more, and other codes beside a common one',
      { ...base, cpv: ['45214210', '45261420', '45261410'] },
      { ...elsewhere, title: `${base.title} Lüftungstechnik`, cpv: ['45331210', '45214210', '45315000'] },
    ],
    [
      'texts that have nothing in common',
      base,
      {
        ...elsewhere,
        title: `${base.title} Nord`,
        description:
          'Gesucht wird ein Unternehmen für Planung und Bauleitung über alle Phasen; Ortstermine finden ' +
          'wöchentlich statt, Nachweise sind mit dem Angebot vorzulegen.',
      },
    ],
  ])('%s are not joined', (_, a, b) => {
    expect(verdict(a, b).kind).not.toBe('merge')
    // the authority's own number settles it
    const reference = '2026-VHB-0417'
    expect(verdict({ ...a, cpv: ['45331100'], reference }, { ...b, cpv: ['45331100'], reference }).kind).toBe('merge')
  })

  test('among twins, a title alone joins none', () => {
    const bare = { title: base.title, cpv: [], nuts: [] }
    expect(verdict(base, { ...bare, publisher: 'list' }, 1).kind).toBe('merge')
    expect(verdict(base, { ...bare, publisher: 'list' }, 5).kind).toBe('none')
    expect(
      verdict({ ...bare, publisher: 'list' }, { ...bare, publisher: 'list', deadline: '2026-04-08T08:00:00.000Z' })
        .kind,
    ).toBe('none')
  })
})

test('twins share a key whatever the case and the legal form', () => {
  expect(twinKey(recordOf({ ...base, title: base.title.toUpperCase() }))).toBe(twinKey(recordOf(base)))
  expect(twinKey(recordOf({ ...base, title: 'Heizung' }))).not.toBe(twinKey(recordOf(base)))
})

test('a record is plain JSON with at most thirty short keys', () => {
  const record = recordOf({ ...base, description: text.repeat(60) })
  expect(JSON.parse(JSON.stringify(record))).toEqual(record)
  const keys = blockingKeys(record)
  expect(keys.length).toBeGreaterThan(5)
  expect(keys.length).toBeLessThanOrEqual(30)
  for (const key of keys) expect(key.length).toBeLessThanOrEqual(60)
})

describe('a call and the result of a procedure with its title, text and code', () => {
  const call: Sketch = { ...base, publisher: 'ted', number: '2-2026', format: 'ted-export' }
  const result: Sketch = {
    title: base.title,
    description: text,
    publisher: 'ted',
    formType: 'result',
    published: '2026-06-02',
    reference: 'H-2026-17',
    format: 'ted-export',
  }
  test.each<[string, Sketch, Sketch, string]>([
    ['that names it are one tender', call, { ...result, names: '2-2026' }, 'same-number'],
    ['that names no call are one tender', call, result, 'same-number'],
    ['that names another call are two', call, { ...result, names: '1-2026' }, 'veto-named-call'],
    ['of the same day are two', call, { ...result, published: '2026-03-02' }, 'veto-time'],
    ['of the day before are two', call, { ...result, published: '2026-03-01' }, 'veto-time'],
    ['of the day after are one', call, { ...result, published: '2026-03-03' }, 'same-number'],
  ])('%s', (_, first, second, rule) => {
    expect(verdict({ ...first, reference: 'H-2026-17' }, second).rule).toBe(rule)
  })

  test('a call rebuilt after the result of the first is another tender', () => {
    const notices = (sketches: readonly Sketch[]) => sketches.map((sketch) => unitOf(sketch))
    const failed = notices([call, { ...result, names: '2-2026', published: '2026-03-20' }])
    const anew = (day: string) => prepare('ted:anew', notices([{ ...call, number: '5-2026', published: day }]))
    const first = prepare('ted:first', failed)
    for (const day of ['2026-03-20', '2026-03-25'])
      expect(decide(first, anew(day), { twins: 1 }).rule).toMatch(/^veto-/)
    expect(decide(first, prepare('ted:other', notices([elsewhere])), { twins: 1 }).kind).toBe('merge')
  })
})
