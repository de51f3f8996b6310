// What each act does to a record, alone and with its call, by made-up notices of a below-threshold channel.
import { describe, expect, test } from 'vitest'
import type { Notice } from '../domain/notice.ts'
import type { TenderContent } from '../domain/tender.ts'
import { readAs } from '../sources/read-as.ts'
import { mergeTender } from './merge.ts'
import { resolve } from './resolve.ts'

const lot = (lotId: string, title: string) => ({ lotId, title: { de: title }, cpvCodes: [], nutsCodes: [] })

function notice(id: number, day: string, title: string, text?: string, members: Partial<Notice> = {}): Notice {
  const read = readAs({
    noticeKey: `doe:${id}-01`,
    publisher: 'doe',
    format: 'eforms',
    profile: 'eforms-sdk-0.1',
    noticeId: String(id),
    noticeVersion: '01',
    formType: 'competition',
    noticeType: 'cn-standard',
    language: 'de',
    languages: ['de'],
    title: { de: title },
    ...(text !== undefined && { description: { de: text } }),
    publicationDate: `${day}T00:00:00.000Z`,
    contractingAuthorities: [{ name: 'Stadt Musterau', country: 'DE' }],
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    references: [],
    ...members,
  })
  if ('reason' in read) throw new Error(read.detail)
  return read
}

const recordOf = (notices: readonly Notice[], now: string): TenderContent =>
  JSON.parse(
    mergeTender('t', notices, { now: Date.parse(`${now}T12:00:00Z`), isSucceeded: false }).content,
  ) as TenderContent

const told = (what: string): string =>
  `Der Auftraggeber Stadt Musterau gibt in dem Vergabeverfahren mit der Vergabenummer 12-26 zu der am 01.04.2026 auf ` +
  `www.example.org (Vergabe-ID: 3356716) veröffentlichten Bekanntmachung mit dem Titel "Zaunbau" ${what}`

const call = notice(1, '2026-04-01', 'Zaunbau', 'Zaun um den Bauhof.', {
  submissionDate: '2026-04-30T10:00:00.000Z',
  lots: [lot('LOT-0001', 'Zaun'), lot('LOT-0002', 'Tore')],
})

test.each([
  ['Zaunbau', 'Zaun um den Bauhof.', 'open'],
  ['Markterkundung: Zaunbau', undefined, 'planned'],
  ['Transparenzbekanntmachung Zaunbau', undefined, 'awardIntended'],
  ['Information über eine beabsichtigte Beschränkte Ausschreibung: Zaunbau', undefined, 'planned'],
  ['Aufhebung der Ausschreibung Zaunbau', undefined, 'cancelled'],
  ['Vergebener Auftrag: Zaunbau', undefined, 'awarded'],
  ['Auftragsänderung: Zaunbau', undefined, 'awarded'],
  ['Zaunbau', told('folgende Berichtigung bekannt:\nPosition 1.2 entfällt.'), 'open'],
])('alone: %s', (title, text, status) => {
  expect(recordOf([notice(2, '2026-04-01', title, text)], '2026-04-02').status).toBe(status)
})

test('D64: a correction of a missing call, without a deadline, is open for 30 days', () => {
  const correction = [
    notice(2, '2026-04-01', 'Zaunbau', told('folgende Berichtigung bekannt:\nPosition 1.2 entfällt.')),
  ]
  expect(recordOf(correction, '2026-04-30')).toMatchObject({ status: 'open', isDeadlineUnknown: true })
  expect(recordOf(correction, '2026-05-02')).toMatchObject({ status: 'closed', archiveReason: 'expired' })
})

test('what announces no procurement becomes no notice', () => {
  const { act: _, ...sale } = notice(2, '2026-04-01', 'Zaunbau')
  expect(readAs({ ...sale, title: { de: 'Verkauf von Brennholz' } })).toMatchObject({
    reason: 'not-procurement',
    detail: 'no procurement: Verkauf von',
  })
})

test('an award names its company, and leaves the texts of the call', () => {
  const award = notice(
    2,
    '2026-05-10',
    'Zaunbau',
    'Name des beauftragten Unternehmens: Zaunbau Nord GmbH\nVergabeart: UVgO',
    {
      lots: [],
    },
  )
  const single = notice(1, '2026-04-01', 'Zaunbau', 'Zaun um den Bauhof.', { lots: [lot('LOT-0001', 'Zaun')] })
  expect(recordOf([single, award], '2026-05-11')).toMatchObject({
    status: 'awarded',
    description: 'Zaun um den Bauhof.',
    lots: [{ status: 'awarded', winners: [{ name: 'Zaunbau Nord GmbH' }] }],
  })
})

test('what stands after the label of the company and names none is no winner', () => {
  const award = notice(2, '2026-05-10', 'Zaunbau', 'Name des beauftragten Unternehmens: nicht vergeben', { lots: [] })
  expect(award.lots).toEqual([])
})

test.each(['Siehe II.2.4', 'Voir supra, rubrique II.2.4).', 'Cfr. punto II.2.4'])(
  'a description that only points to the lots is theirs: %s',
  (text) => {
    const lots = [{ ...lot('1', 'Zaun'), description: { de: 'Zaun um den Bauhof.' } }]
    expect(recordOf([notice(1, '2026-04-01', 'Zaunbau', text, { lots })], '2026-04-02').description).toBe(
      'Zaun um den Bauhof.',
    )
  },
)

describe('what is told about a call', () => {
  const follow = (what: string) => notice(2, '2026-04-20', 'Zaunbau', told(what))

  test.each([
    [
      'folgende Berichtigung bekannt:\nDie Angebotsfrist wird bis zum 18.05.2026, 12:00 Uhr verlängert.',
      '2026-05-18T10:00:00.000Z',
    ],
    ['folgende Berichtigung bekannt:\nDie Angebotsfrist wird bis zum 18.05. verlängert.', '2026-05-18T21:59:59.000Z'],
    ['folgende Berichtigung bekannt:\nDie Angebotsfrist wird um zwei Wochen verlängert.', '2026-05-14T10:00:00.000Z'],
  ])('an extension moves the deadline: %s', (what, submissionDate) => {
    expect(recordOf([call, follow(what)], '2026-05-01')).toMatchObject({
      status: 'open',
      submissionDate,
      title: 'Zaunbau',
    })
  })

  test('a correction is appended to the text of the call', () => {
    const record = recordOf([call, follow('folgende Berichtigung bekannt:\nPosition 1.2 entfällt.')], '2026-04-21')
    expect(record).toMatchObject({ status: 'open', submissionDate: '2026-04-30T10:00:00.000Z' })
    expect(record.description).toBe('Zaun um den Bauhof.\n\nPosition 1.2 entfällt.')
    expect(record.lots).toHaveLength(2)
  })

  test('a cancellation closes the call from its publication', () => {
    const cancelled = [call, follow('folgendes bekannt:\nDie Ausschreibung wird aufgehoben.')]
    expect(recordOf(cancelled, '2026-04-21')).toMatchObject({ status: 'cancelled', description: 'Zaun um den Bauhof.' })
  })

  test('a cancellation of a lot ends only this lot', () => {
    const record = recordOf([call, follow('folgendes bekannt:\nLos 2 wird aufgehoben.')], '2026-04-21')
    expect(record.status).toBe('open')
    expect(record.lots.map(({ status }) => status)).toEqual(['open', 'cancelled'])
  })

  test.each([[[]], [[lot('LOT-0001', 'Zaun')]]])('a call that is itself a lot ends with it: %j', (lots) => {
    const own = notice(1, '2026-04-01', 'Los 12: Zaunbau', 'Zaun.', {
      submissionDate: '2026-04-30T10:00:00.000Z',
      lots,
    })
    const record = recordOf([own, follow('folgendes bekannt:\nLos 12 wird aufgehoben.')], '2026-04-21')
    expect(record.status).toBe('cancelled')
  })

  const french = (id: number, day: string, title: string, text: string, members: Partial<Notice> = {}): Notice =>
    notice(id, day, '', undefined, { language: 'fr', title: { fr: title }, description: { fr: text }, ...members })
  const frenchCall = french(1, '2026-04-01', 'Clôtures', 'Clôture du dépôt.', {
    submissionDate: '2026-04-30T10:00:00.000Z',
    lots: [lot('LOT-0001', 'Zaun'), lot('LOT-0002', 'Tore')],
  })

  test.each([
    ['Avis d’annulation – clôtures', 'Le lot 2 est déclaré infructueux.', 'open', ['open', 'cancelled']],
    ['Lot n° 1 déclaré sans suite – clôtures', '', 'open', ['cancelled', 'open']],
    ['Lot n° 9 déclaré sans suite – clôtures', '', 'open', ['open', 'open']],
    ['Lots 1 et 2 infructueux – clôtures', '', 'cancelled', ['cancelled', 'cancelled']],
    ['Avis d’annulation – clôtures', 'La procédure est déclarée sans suite.', 'cancelled', ['cancelled', 'cancelled']],
  ])('in another language a title or text that names lots ends only these: %s, %s', (title, text, status, lots) => {
    const record = recordOf([frenchCall, french(2, '2026-04-20', title, text)], '2026-04-21')
    expect(record.status).toBe(status)
    expect(record.lots.map((each) => each.status)).toEqual(lots)
  })

  test('a cancellation with lots of its own ends the one that it names', () => {
    const own = french(2, '2026-04-20', 'Lot n° 1 déclaré sans suite – clôtures', '', { lots: frenchCall.lots })
    expect(recordOf([own], '2026-04-21').lots.map(({ status }) => status)).toEqual(['cancelled', 'open'])
  })

  test('a call whose title is the lot ends with it, whatever its own lots are', () => {
    const project = { ...frenchCall, title: { fr: 'École du port – lot 7 : clôtures' } }
    const end = french(2, '2026-04-20', 'Lot n° 7 déclaré sans suite – clôtures', '')
    expect(recordOf([project, end], '2026-04-21').status).toBe('cancelled')
  })

  const three = ['LOT-0001', 'LOT-0002', 'LOT-0003'].map((id) => lot(id, 'Bau'))
  const open = { submissionDate: '2026-04-30T10:00:00.000Z' as const }
  const statusesOf = (own: Notice, ...others: readonly Notice[]) => {
    const { status, lots } = recordOf([own, ...others], '2026-04-21')
    return [status, ...lots.map((each) => each.status)]
  }

  test.each([
    ['folgendes bekannt:\nLos 2 wird aufgehoben.', ['open', 'open', 'cancelled', 'open']],
    ['folgendes bekannt:\nDie Lose 1 – 2 werden aufgehoben.', ['open', 'cancelled', 'cancelled', 'open']],
    ['folgendes bekannt:\nLos 2.3 wird aufgehoben.', ['open', 'open', 'open', 'open']],
    ['folgendes bekannt:\nDas Los Rohbau wird aufgehoben.', ['open', 'open', 'open', 'open']],
  ])('a call with lots whose title names a lot ends only the lots that are named: %s', (what, statuses) => {
    const own = notice(1, '2026-04-01', 'Ortsumgehung, Los 2 Brückenbau', 'Brücke.', { ...open, lots: three })
    expect(statusesOf(own, follow(what))).toEqual(statuses)
  })

  test('a lot with a point in its id ends alone', () => {
    const lots = ['1', '2', '2.1', '2.2'].map((id) => lot(id, 'Bau'))
    const own = notice(1, '2026-04-01', 'Zaunbau', 'Zaun.', { ...open, lots })
    const ended = statusesOf(own, follow('folgendes bekannt:\nLos 2.1 wird aufgehoben.'))
    expect(ended).toEqual(['open', 'open', 'open', 'cancelled', 'open'])
  })

  test('a lot without a number in its id is not lot 0', () => {
    const lots = ['A', 'B'].map((id) => lot(id, 'Bau'))
    const own = notice(1, '2026-04-01', 'Zaunbau', 'Zaun.', { ...open, lots })
    expect(statusesOf(own, follow('folgendes bekannt:\nLos 0 wird aufgehoben.'))).toEqual(['open', 'open', 'open'])
  })

  test('a call that is another lot by its title stays open', () => {
    const own = notice(1, '2026-04-01', 'Los 2: Zaunbau', 'Zaun.', { ...open, lots: [lot('LOT-0001', 'Zaun')] })
    expect(statusesOf(own, follow('folgendes bekannt:\nLos 1 wird aufgehoben.'))).toEqual(['open', 'open'])
    expect(statusesOf(own, follow('folgendes bekannt:\nLos 2 wird aufgehoben.'))).toEqual(['cancelled', 'cancelled'])
  })

  test.each(['Teilaufhebung Neubau Schule', 'Los Rohbau aufgehoben', 'Aufhebung (Los 1 Rohbau bleibt bestehen)'])(
    'a partial cancellation without numbers leaves every lot open: %s',
    (title) => {
      const own = notice(1, '2026-04-01', 'Neubau Schule', 'Neubau.', { ...open, lots: three })
      expect(statusesOf(own, notice(2, '2026-04-20', title, ''))).toEqual(['open', 'open', 'open', 'open'])
      const inPlace = notice(1, '2026-04-01', title, '', { ...open, lots: three })
      expect(statusesOf(inPlace)).toEqual(['open', 'open', 'open', 'open'])
    },
  )

  test('a notice whose text now ends the procedure is cancelled, whatever number its title has', () => {
    const members = { language: 'en', lots: three }
    const own = notice(1, '2026-04-01', '', undefined, {
      ...members,
      title: { en: 'Cancelled: Framework for part 2 works' },
      description: { en: 'The tender has been cancelled.' },
    })
    expect(statusesOf(own)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled'])
  })

  test('a lot whose subject sounds like its end is open', () => {
    const title = { fr: 'Lot 3 : démolition de bâtiments abandonnés' }
    const own = notice(1, '2026-04-01', '', undefined, {
      ...open,
      language: 'fr',
      title,
      lots: [lot('LOT-0001', 'Bau')],
    })
    expect(statusesOf(own)).toEqual(['open', 'open'])
  })

  test('a suspension lasts until the next text of the call', () => {
    const halt = follow('folgendes bekannt:\nDas Vergabeverfahren wird ausgesetzt.')
    const next = notice(3, '2026-04-25', 'Zaunbau', told('folgende Berichtigung bekannt:\nPosition 3 entfällt.'))
    expect(recordOf([call, halt], '2026-04-26')).toMatchObject({ status: 'open', isSuspended: true })
    expect(recordOf([call, halt, next], '2026-04-26').isSuspended).toBeUndefined()
  })

  test.each([
    ['Die Angebotsfrist wird auf den 11.05.2026 verlängert.', '2026-05-11T21:59:59.000Z'],
    ['Die Angebotsfrist wird auf den 30.04.2026 verlängert.', '2026-04-30T10:00:00.000Z'],
    ['Die Angebotsfrist wird verlängert, Abgabe des Nachweises bis 30.08.2026.', '2026-04-30T10:00:00.000Z'],
  ])(
    'the text of a change moves the deadline that its fields still have, by a month at most: %s',
    (de, submissionDate) => {
      const change = notice(1, '2026-04-20', 'Zaunbau', 'Zaun um den Bauhof.', {
        noticeKey: 'doe:1-02',
        noticeVersion: '02',
        changeReasons: ['cor-buy'],
        changeText: { de },
        submissionDate: '2026-04-30T10:00:00.000Z',
      })
      expect(recordOf([call, change], '2026-04-21')).toMatchObject({ status: 'open', submissionDate })
    },
  )
})

test.each([
  ['Das Vergabeverfahren wird aufgehoben.', 'cancelled'],
  ['Das Vergabeverfahren wird nicht aufgehoben.', 'open'],
])('a change that says so ends its tender: %s', (de, status) => {
  const deadline = { submissionDate: '2026-05-11T10:00:00.000Z' }
  const first = notice(1, '2026-04-01', 'Zaunbau', 'Zaun um den Bauhof.', deadline)
  const change = notice(1, '2026-04-20', 'Zaunbau', 'Zaun um den Bauhof.', {
    ...deadline,
    noticeKey: 'doe:1-02',
    noticeVersion: '02',
    changeReasons: ['update-add'],
    changeText: { de },
  })
  expect(recordOf([first, change], '2026-04-21').status).toBe(status)
})

test.each([
  ['the same platform and number', 'https://www.example.org/unterlagen/3356716/zustellweg', 1],
  ['another number', 'https://www.example.org/unterlagen/3356717/zustellweg', 2],
])('what is told about a call finds it by the address in its text: %s', (_, address, tenders) => {
  const named = notice(1, '2026-04-01', 'Zaunbau', `Zaun um den Bauhof. Unterlagen: ${address}.`)
  const end = notice(2, '2026-04-20', 'Zaunbau', told('folgendes bekannt:\nDie Ausschreibung wird aufgehoben.'))
  const stored = [named, end].map((each, index) => ({ rowId: `0${index}`, sourceId: 'doe', notice: each }))
  expect(resolve(stored)).toHaveLength(tenders)
})
