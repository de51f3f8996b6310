// The German service: days of Berlin, truncated zips, versions, tables, and the same notice on TED.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { afterAll, describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { type Script, ScriptedRun, slotOf } from '../../../test/sources/scripted-run.ts'
import { tedNotice } from '../../../test/sources/scripted-ted.ts'
import { mergeTender } from '../../consolidate/merge.ts'
import { type StoredNotice, uniteCopies } from '../../consolidate/notice-units.ts'
import { resolve } from '../../consolidate/resolve.ts'
import type { Notice } from '../../domain/notice.ts'
import type { TenderContent } from '../../domain/tender.ts'
import { parseDocument } from '../parse-document.ts'
import { source } from './doe.ts'
import { fetchDay, fetchMonth, fetchRepair, fetchTables } from './fetch-exports.ts'

const scratchFolder = mkdtempSync(join(tmpdir(), 'tenderstock-doe-'))
afterAll(() => rmSync(scratchFolder, { recursive: true, force: true }))

const at = (text: string): number => Date.parse(text)

const namespaces =
  'xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" ' +
  'xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"'

type Made = {
  readonly id: string
  readonly version: string
  readonly title?: string
  readonly profile?: string
  readonly dispatched?: string
  readonly folder?: string
}

/** A made-up call for competition as the service delivers it. */
function notice({
  id,
  version,
  title = 'Straßenbau',
  profile = 'eforms-de-2.1',
  dispatched,
  folder = '',
}: Made): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<ContractNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2" ${namespaces}>
<cbc:CustomizationID>${profile}</cbc:CustomizationID><cbc:ID schemeName="notice-id">${id}</cbc:ID><cbc:ContractFolderID>${folder}</cbc:ContractFolderID>
${dispatched ? `<cbc:IssueDate>${dispatched}+01:00</cbc:IssueDate><cbc:IssueTime>10:00:00+01:00</cbc:IssueTime>` : ''}<cbc:VersionID>${version}</cbc:VersionID>
<cbc:RegulatoryDomain>32014L0024</cbc:RegulatoryDomain><cbc:NoticeTypeCode \
listName="competition">cn-standard</cbc:NoticeTypeCode><cbc:NoticeLanguageCode>DEU</cbc:NoticeLanguageCode>
<cac:ContractingParty><cac:Party><cac:PartyName><cbc:Name>Stadt Musterstadt</cbc:Name></cac:PartyName></cac:Party></cac:ContractingParty>
<cac:ProcurementProject><cbc:Name languageID="DEU">${title}</cbc:Name></cac:ProcurementProject>
<!-- ${Buffer.from(`${id}${version}`).toString('base64').repeat(20)} -->
</ContractNotice>`
}

const uuid = (number: number): string => `1b2c3d4e-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Stored, unless a test is about packed ones: packing is what most of them would cost. */
function zipOf(files: { readonly [name: string]: string | Uint8Array }, level: 0 | 1 = 0): Buffer {
  const bytes = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, new Uint8Array(Buffer.from(file))]),
  )
  // a separate time would make two zips of the same files differ
  return Buffer.from(zipSync(bytes, { level, mtime: '2026-01-02T03:04:06' }))
}

function manyNotices(count: number): { [name: string]: string } {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${uuid(index)}-01.xml`, notice({ id: uuid(index), version: '01' })]),
  )
}

function runOf(script: Script, now: number): ScriptedRun {
  const run = new ScriptedRun({ script, scratchFolder, zone: source.zone })
  run.now = now
  return run
}

const day = slotOf('2026-03-10', '2026-03-09T23:00:00Z', '2026-03-10T23:00:00Z')
const nextDay = at('2026-03-11T03:00:00Z')

describe('a day of the German service', () => {
  it('is one zip of notices, below the thresholds too, each read as a notice of the service', async () => {
    const files = {
      [`${uuid(1)}-02.xml`]: notice({ id: uuid(1), version: '02', dispatched: '2026-03-09' }),
      '24746146-1.xml': notice({ id: '24746146', version: '1', profile: 'eforms-sdk-0.1' }),
      [`${uuid(2)}-01.xml`]: notice({ id: uuid(2), version: '01', profile: 'eforms-sdk-1.12' }),
    }
    const body = zipOf(files, 1)
    const run = runOf(() => ({ body }), nextDay)
    expect(await run.read(fetchDay, day)).toEqual({ kind: 'complete' })
    expect(run.parsed(source).notices.map(({ noticeKey, url }) => [noticeKey, url?.slice(-36)])).toEqual([
      [`doe:${uuid(1)}-02`, uuid(1)],
      ['doe:24746146-01', undefined],
      [`doe:${uuid(2)}-01`, uuid(2)],
    ])
    const [request] = run.requests
    expect(request!.url).toBe('https://oeffentlichevergabe.de/api/notice-exports?pubDay=2026-03-10&format=eforms.zip')
    expect(request!.headers).toEqual({ accept: 'application/vnd.bekanntmachungsservice.eforms.zip+zip' })
  })

  it('without notices is a zip without members, and complete', async () => {
    const run = runOf(() => ({ body: zipOf({}) }), nextDay)
    expect(await run.read(fetchDay, day)).toEqual({ kind: 'complete' })
    expect(run.delivered).toBe(0)
  })

  it('that is not over in Berlin is requested again, also when daylight saving time begins and ends', async () => {
    const future = { status: 400, body: '{"detail":"pubDay must lie in the past"}' }
    for (const [key, from, to] of [
      ['2026-03-10', '2026-03-09T23:00:00Z', '2026-03-10T23:00:00Z'],
      ['2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
      ['2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ] as const) {
      const run = runOf(() => future, at(to) - 1)
      expect(await run.read(fetchDay, slotOf(key, from, to))).toEqual({ kind: 'notYet' })
      expect(new URL(run.requests[0]!.url).searchParams.get('pubDay')).toBe(key)
    }
  })

  it('before December 2022 is empty; a 400 for any other day of the past is refused', async () => {
    const refusal = () => ({ status: 400, body: 'Bad Request' })
    const before = slotOf('2022-11-30', '2022-11-29T23:00:00Z', '2022-11-30T23:00:00Z')
    expect(await runOf(refusal, nextDay).read(fetchDay, before)).toEqual({ kind: 'empty' })
    expect(await runOf(refusal, at('2026-05-01T00:00:00Z')).failure(fetchDay, day)).toMatch(
      /^Refused: .*answered 400: Bad/,
    )
  })

  it('that is answered with a page, nothing or an empty 202 is refused, never empty', async () => {
    for (const reply of [
      { body: '<html></html>' },
      { body: '' },
      { status: 202, body: '' },
      { body: '{"error":"x"}' },
    ]) {
      const run = runOf(() => reply, nextDay)
      expect(await run.failure(fetchDay, day)).toMatch(/^Refused/)
      expect(run.documents.size).toBe(0)
    }
  })

  it('keeps what a truncated zip still gives, and is retried', async () => {
    const whole = zipOf(manyNotices(300), 1)
    const half = Math.floor(whole.length / 2)
    const cuts: [string, ReturnType<Script>][] = [
      ['the connection', { body: whole, breakAfter: half }],
      ['the zip', { body: whole.subarray(0, half) }],
    ]
    for (const [name, reply] of cuts) {
      const run = runOf(() => reply, nextDay)
      expect(await run.failure(fetchDay, day), name).toMatch(/^Retryable/)
      expect(run.documents.size, name).toBeGreaterThan(100)
      expect(run.documents.size, name).toBeLessThan(300)
      expect(run.parsed(source).rejections, name).toEqual([])
      run.script = () => ({ body: whole })
      expect(await run.read(fetchDay, day), name).toEqual({ kind: 'complete' })
      expect(run.documents.size, name).toBe(300)
    }
  })

  it('continues in the middle of the same zip, and starts at the beginning of another one', async () => {
    const files = manyNotices(500)
    const run = runOf(() => ({ body: zipOf(files) }), nextDay)
    expect(await run.read(fetchDay, day, 1)).toBe('died')
    expect(run.documents.size).toBe(200)
    run.handedOver = 0
    expect(await run.read(fetchDay, day)).toEqual({ kind: 'complete' })
    expect([run.handedOver, run.documents.size]).toEqual([300, 500])

    const grown = runOf(() => ({ body: zipOf(files) }), nextDay)
    await grown.read(fetchDay, day, 2)
    const more = { 'a-first-1.xml': notice({ id: '7', version: '1' }), ...files }
    grown.script = () => ({ body: zipOf(more) })
    expect(await grown.read(fetchDay, day)).toEqual({ kind: 'complete' })
    expect(grown.documents.size).toBe(501)
  })

  it('ends with the same 450 notices after kills at any moment', async () => {
    const body = zipOf(manyNotices(450))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 5 }), async (lives) => {
        const run = runOf(() => ({ body }), nextDay)
        for (const steps of lives) if ((await run.read(fetchDay, day, steps)) !== 'died') break
        expect(await run.read(fetchDay, day)).toEqual({ kind: 'complete' })
        expect(run.documents.size).toBe(450)
      }),
      { numRuns: proofCount({ share: 2, full: 50 }) },
    )
  })

  it('holds damaged members as rejections and the others as notices', async () => {
    const body = zipOf(manyNotices(3))
    const place = body.indexOf('Straßenbau', body.indexOf(uuid(1)))
    body[place] = 0x21
    const run = runOf(() => ({ body }), nextDay)
    expect(await run.read(fetchDay, day)).toEqual({ kind: 'complete' })
    expect(run.parsed(source).rejections).toEqual(['malformed'])
    expect(run.parsed(source).notices).toHaveLength(2)
  })
})

describe('the ETag', () => {
  const march = slotOf('2026-03', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z')
  const april = at('2026-04-05T03:00:00Z')

  it('leads back to its own address and to no other', async () => {
    const run = runOf(
      ({ ifChangedFrom }) =>
        ifChangedFrom ? { status: 304 } : { body: zipOf(manyNotices(2)), headers: { etag: '"version-3"' } },
      april,
    )
    expect(await run.read(fetchDay, day)).toEqual({ kind: 'complete' })
    const other = slotOf('2026-03-11', '2026-03-10T23:00:00Z', '2026-03-11T23:00:00Z')
    expect(await run.read(fetchDay, other)).toEqual({ kind: 'complete' })
    expect(await run.read(fetchMonth, march)).toEqual({ kind: 'complete' })
    expect(run.requests.map(({ ifChangedFrom }) => ifChangedFrom)).toEqual([undefined, undefined, undefined])
    expect(await run.read(fetchDay, day)).toEqual({ kind: 'unchanged' })
    expect(run.requests.at(-1)).toMatchObject({ ifChangedFrom: '"version-3"', accept: [304, 400] })
  })

  it('of a truncated zip is not kept', async () => {
    const whole = zipOf(manyNotices(300))
    const run = runOf(() => ({ body: whole, breakAfter: 9000, headers: { etag: '"version-3"' } }), april)
    expect(await run.failure(fetchDay, day)).toMatch(/^Retryable/)
    expect([...run.items]).toEqual([])
  })

  it('does not prevent a repair, which finds late entries of a month', async () => {
    const files = manyNotices(3)
    const etag = { etag: '"version-3"' }
    const run = runOf(() => ({ body: zipOf(files), headers: etag }), april)
    expect(await run.read(fetchMonth, march)).toEqual({ kind: 'complete' })
    files['late-1.xml'] = notice({ id: '99', version: '1', profile: 'eforms-sdk-0.1' })
    expect(await run.read(fetchRepair, march)).toEqual({ kind: 'complete' })
    expect(run.requests.at(-1)!.ifChangedFrom).toBeUndefined()
    expect(run.documents.size).toBe(4)
  })

  it('months that ended 45 days ago and more are not repaired', async () => {
    const run = runOf(() => ({ body: zipOf({}) }), at('2026-05-20T00:00:00Z'))
    expect(await run.read(fetchRepair, march)).toEqual({ kind: 'unchanged' })
    expect(run.requests).toEqual([])
  })
})

/** What consolidation makes of notices: each tender with its keys and its record. */
function tendersOf(copies: readonly { readonly sourceId: string; readonly notice: Notice }[]) {
  const stored = copies.map(
    ({ sourceId, notice: each }, index): StoredNotice => ({ rowId: String(index), sourceId, notice: each }),
  )
  return resolve(stored).map(({ units, isSucceeded }) => {
    const notices = units.map((unit) => unit.notice)
    const draft = mergeTender('made-up', notices, { now: at('2026-04-01T00:00:00Z'), isSucceeded })
    return {
      keys: notices.map(({ noticeKey }) => noticeKey).sort(),
      content: JSON.parse(draft.content) as TenderContent,
    }
  })
}

function parsedOne(bytes: string | Uint8Array): Notice {
  const [part] = source.parse!(Buffer.from(bytes))
  if (!part || !('notice' in part)) throw new Error(JSON.stringify(part))
  return part.notice
}

describe('versions of a notice', () => {
  it('9 and 10 out of two months are one tender with the content of version 10, in either order of arrival', () => {
    for (const [id, profile] of [
      [uuid(1), 'eforms-de-2.1'],
      ['24746146', 'eforms-sdk-0.1'],
    ] as const) {
      const made = (version: string, title: string, dispatched: string) =>
        parsedOne(notice({ id, version, title, profile, ...(profile !== 'eforms-sdk-0.1' && { dispatched }) }))
      const older = { sourceId: 'doe', notice: made('9', 'Straßenbau', '2026-02-20') }
      const newer = { sourceId: 'doe', notice: made('10', 'Straßenbau und Kanalbau', '2026-03-05') }
      for (const copies of [
        [older, newer],
        [newer, older],
      ]) {
        const tenders = tendersOf(copies)
        expect(tenders).toHaveLength(1)
        expect(tenders[0]!.keys).toEqual([`doe:${id}-09`, `doe:${id}-10`])
        expect(tenders[0]!.content.title).toBe('Straßenbau und Kanalbau')
      }
    }
  })
})

describe('the same notice on TED and here', () => {
  it('is one tender, though their keys differ', () => {
    const ted = parseDocument(
      Buffer.from(tedNotice('77-2026', '2026-03-12', { noticeId: uuid(5), title: 'Straßenbau' })),
    )[0]!
    if (!('notice' in ted)) throw new Error('not read')
    const here = parsedOne(notice({ id: uuid(5), version: '01', dispatched: '2026-03-09' }))
    const tenders = tendersOf([
      { sourceId: 'ted', notice: ted.notice },
      { sourceId: 'doe', notice: here },
    ])
    expect(tenders.map(({ keys }) => keys)).toEqual([[`doe:${uuid(5)}-01`, 'ted:77-2026']])
  })
})

const tables: { [name: string]: string } = {
  'notice.csv': `noticeIdentifier,noticeVersion,procedureIdentifier,procedureLegalBasis,formType,noticeType,publicationDate
${uuid(1)},1,${uuid(900)},32014L0024,result,can-standard,2026-03-09T23:00:00Z
24746146,2,,de-vob,competition,cn-standard,2026-03-09T23:00:00Z
`,
  'purpose.csv': `noticeIdentifier,noticeVersion,lotIdentifier,internalIdentifier,mainNature,additionalNature,title,\
estimatedValue,estimatedValueCurrency,description
${uuid(1)},1,,V-17,works,,Straßenbau,250000,EUR,"Zwei Lose, ""Nord"" und
Süd"
${uuid(1)},1,LOT-0001,,works,,Nord,,,
${uuid(1)},1,LOT-0002,,works,,Süd,,,
24746146,2,,,,,Malerarbeiten,1,EUR,
24746146,2,LOT-0000,,,,Malerarbeiten,,,
`,
  'lot.csv': `noticeIdentifier,noticeVersion,lotIdentifier
${uuid(1)},1,LOT-0001
${uuid(1)},1,LOT-0002
24746146,2,LOT-0000
`,
  'procedure.csv': `noticeIdentifier,noticeVersion,crossBorderLaw,procedureType
${uuid(1)},1,,open
24746146,2,,de-open
`,
  'classification.csv': `noticeIdentifier,noticeVersion,lotIdentifier,classificationType,mainClassificationCode,additionalClassificationCodes,options
${uuid(1)},1,,cpv,45233120-6,"45112000,45232000",
24746146,2,,cpv,45,"43,44",
`,
  'organisation.csv': `noticeIdentifier,noticeVersion,organisationName,organisationIdentifier,organisationCity,organisationPostCode,\
organisationCountrySubdivision,\
organisationCountryCode,organisationInternetAddress,organisationRole,buyerLegalType
${uuid(1)},1,Stadt Musterstadt,DE811111111,Musterstadt,99999,DEG0G,DEU,https://musterstadt.example,serv-prov,kommun-beh
${uuid(1)},1,Vergabekammer,,,,,DEU,,reviewer,
${uuid(1)},1,Bau Muster GmbH,DE822222222,Musterstadt,99999,,DEU,,tenderer,
24746146,2,"Gemeinde Beispiel, Dorfstr. 1, 12345 Beispiel",,,,,,,buyer,
`,
  'procedureLotResult.csv': `noticeIdentifier,noticeVersion,lotIdentifier,procedureLotResultNumber,winnerChosen,notAwardedReason
${uuid(1)},1,LOT-0001,0,selec-w,
${uuid(1)},1,LOT-0002,1,clos-nw,no-rece
`,
  'tender.csv': `noticeIdentifier,noticeVersion,tenderIdentifier,lotIdentifier,tenderValue,tenderValueCurrency
${uuid(1)},1,TEN-0001,LOT-0001,240000.5,EUR
`,
  'contract.csv': `noticeIdentifier,noticeVersion,contractIdentifier,winnerDecisionDate,contractConclusionDate
${uuid(1)},1,CON-0001,,2026-03-05T00:00:00+01:00
`,
  'receivedSubmissions.csv': `noticeIdentifier,noticeVersion,procedureLotResultNumber,receivedSubmissionsCount,receivedSubmissionsType
${uuid(1)},1,0,4,t-esubm
${uuid(1)},1,0,5,tenders
`,
  'changes.csv': `noticeIdentifier,noticeVersion,contractIdentifier,changeNoticeVersionIdentifier,changeReasonCode
24746146,2,,1,update-add
`,
  'placeOfPerformance.csv': `noticeIdentifier,noticeVersion,lotIdentifier,placePerformanceCity,placePerformancePostCode,\
placePerformanceCountrySubdivision,placePerformanceCountryCode
${uuid(1)},1,,Musterstadt,99999,DEG0G,DEU
`,
}

describe('the tables of a day', () => {
  it('are joined to one document per notice, announced and delivered alike', async () => {
    const run = runOf(() => ({ body: zipOf(tables) }), nextDay)
    expect(await run.read(fetchTables, day)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 2, delivered: 2 })
    expect(run.requests[0]).toMatchObject({
      url: 'https://oeffentlichevergabe.de/api/notice-exports?pubDay=2026-03-10&format=csv.zip',
      headers: { accept: 'application/vnd.bekanntmachungsservice.csv.zip+zip' },
    })
    const again = runOf(() => ({ body: zipOf({ ...tables }) }), nextDay)
    await again.read(fetchTables, day)
    expect([...again.documents.keys()]).toEqual([...run.documents.keys()])
  })

  it('are read as notices with everything that the tables say', async () => {
    const run = runOf(() => ({ body: zipOf(tables) }), nextDay)
    await run.read(fetchTables, day)
    const { notices, rejections } = run.parsed(source)
    expect(rejections).toEqual([])
    const award = notices.find(({ noticeKey }) => noticeKey === `doe:${uuid(1)}-01`)!
    expect(award.url).toMatch(uuid(1))
    expect(award).toMatchObject({
      publisher: 'doe',
      format: 'portal',
      profile: 'doe-csv',
      noticeId: uuid(1),
      noticeVersion: '1',
      procedureId: uuid(900),
      internalReference: 'V-17',
      formType: 'result',
      noticeType: 'can-standard',
      legalBasis: '32014L0024',
      procedureType: 'open',
      title: { de: 'Straßenbau' },
      description: { de: 'Zwei Lose, "Nord" und\nSüd' },
      publicationDate: '2026-03-09T23:00:00.000Z',
      cpvCodes: ['45233120', '45112000', '45232000'],
      nutsCodes: ['DEG0G'],
      place: { city: 'Musterstadt', country: 'DE' },
      estimatedValue: { value: 250_000, currency: 'EUR' },
      contractingAuthorities: [{ name: 'Stadt Musterstadt', nationalId: 'DE811111111', country: 'DE' }],
    })
    expect(award.lots.map(({ lotId, result }) => [lotId, result])).toEqual([
      [
        'LOT-0001',
        {
          outcome: 'awarded',
          awardedValue: { value: 240_000.5, currency: 'EUR' },
          winners: [expect.objectContaining({ name: 'Bau Muster GmbH' })],
          contractDate: '2026-03-05',
          receivedTenders: 5,
        },
      ],
      ['LOT-0002', { outcome: 'not-awarded', reason: 'no-rece' }],
    ])
    const small = notices.find(({ noticeKey }) => noticeKey === 'doe:24746146-02')!
    expect(small).toMatchObject({
      procedureType: 'open',
      procedureTypeNational: 'de-open',
      cpvCodes: ['45000000', '43000000', '44000000'],
      references: [{ kind: 'changes', noticeId: '24746146', noticeVersion: '1' }],
      changeReasons: ['update-add'],
      contractingAuthorities: [
        { name: 'Gemeinde Beispiel', street: 'Dorfstr. 1', postalCode: '12345', city: 'Beispiel' },
      ],
    })
    expect(small.estimatedValue).toBeUndefined()
  })

  it('have the key of the XML, and the XML counts, in any order', async () => {
    const run = runOf(() => ({ body: zipOf(tables) }), nextDay)
    await run.read(fetchTables, day)
    const row = run.parsed(source).notices.find(({ noticeId }) => noticeId === '24746146')!
    // Neither carries a dispatch date: only the shape distinguishes them.
    const xml = parsedOne(notice({ id: '24746146', version: '2', profile: 'eforms-sdk-0.1', title: 'Malerarbeiten' }))
    expect(row.noticeKey).toBe(xml.noticeKey)
    for (const rowIds of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const [unit, ...others] = uniteCopies([
        { rowId: rowIds[0]!, sourceId: 'doe', notice: row },
        { rowId: rowIds[1]!, sourceId: 'doe', notice: xml },
      ])
      expect(others).toEqual([])
      expect(unit!.notice.format).toBe('eforms')
    }
  })

  it('that have another layout, or are truncated, give only an error', async () => {
    const { 'notice.csv': _, ...without } = tables
    expect(await runOf(() => ({ body: zipOf(without) }), nextDay).failure(fetchTables, day)).toMatch(
      /^Refused: .*no table of notices/,
    )
    const renamed = { ...tables, 'lot.csv': 'noticeId,lot\n1,2\n' }
    expect(await runOf(() => ({ body: zipOf(renamed) }), nextDay).failure(fetchTables, day)).toMatch(
      /^Refused: .*names no notice/,
    )
    const whole = zipOf(tables)
    const run = runOf(() => ({ body: whole.subarray(0, whole.length - 100) }), nextDay)
    expect(await run.failure(fetchTables, day)).toMatch(/^Retryable/)
    expect(run.documents.size).toBe(0)
  })

  it('that lack the row of the notice itself are a rejection', () => {
    const parts = source.parse!(Buffer.from(JSON.stringify({ noticeIdentifier: '1', noticeVersion: '1', tables: {} })))
    expect(parts).toEqual([{ pointer: '', rejection: expect.objectContaining({ reason: 'invalid-content' }) }])
  })
})

const corpus = join(import.meta.dirname, '../../../../shared/corpus/eforms-de')
const hasCorpus = existsSync(corpus)

describe.skipIf(!hasCorpus)('real data', () => {
  it('of 6 December 2025 as tables: 524 notices, 193 of them results, none rejected', async () => {
    const folder = join(corpus, 'doe-csv-2025-12-06')
    const files = Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name.endsWith('.csv'))
        .map((name) => [name, readFileSync(join(folder, name))]),
    )
    expect(Object.keys(files)).toHaveLength(19)
    const run = runOf(() => ({ body: zipOf(files) }), at('2025-12-07T03:00:00Z'))
    const slot = slotOf('2025-12-06', '2025-12-05T23:00:00Z', '2025-12-06T23:00:00Z')
    expect(await run.read(fetchTables, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 524, delivered: 524 })
    const { notices, rejections } = run.parsed(source)
    expect(rejections).toEqual([])
    const count = (has: (each: Notice) => unknown): number => notices.filter(has).length
    expect({
      notices: notices.length,
      keys: new Set(notices.map(({ noticeKey }) => noticeKey)).size,
      results: count(({ formType }) => formType === 'result'),
      numeric: count(({ noticeId }) => /^\d+$/.test(noticeId ?? '')),
      published: count(({ publicationDate }) => publicationDate),
      titled: count(({ title }) => title),
      lots: notices.reduce((sum, { lots }) => sum + lots.length, 0),
      awarded: notices.flatMap(({ lots }) => lots).filter(({ result }) => result?.outcome === 'awarded').length,
    }).toEqual({
      notices: 524,
      keys: 524,
      results: 193,
      numeric: 366,
      published: 524,
      titled: 524,
      lots: 604,
      awarded: 69,
    })
    expect(count(({ contractingAuthorities }) => contractingAuthorities.length > 0)).toBeGreaterThanOrEqual(523)
    expect(count(({ cpvCodes }) => cpvCodes.length > 0)).toBeGreaterThan(500)
  })

  it('of the below-threshold channel and of eForms-DE pass through the zip as notices', async () => {
    const real = ['doe-sdk-0.1', 'validator-fixtures'].flatMap((folder) =>
      readdirSync(join(corpus, folder))
        .filter((name) => name.endsWith('.xml'))
        .map((name) => [name, readFileSync(join(corpus, folder, name))] as const),
    )
    const run = runOf(() => ({ body: zipOf(Object.fromEntries(real)) }), nextDay)
    expect(await run.read(fetchDay, day)).toEqual({ kind: 'complete' })
    const { notices, rejections } = run.parsed(source)
    expect(run.documents.size).toBe(new Set(real.map(([, bytes]) => bytes.toString())).size)
    expect(notices.length + rejections.length).toBe(run.documents.size)
    expect(notices.every(({ publisher }) => publisher === 'doe' || publisher === 'ted')).toBe(true)
    expect(notices.filter(({ profile }) => profile === 'eforms-sdk-0.1').length).toBeGreaterThanOrEqual(3)
  })
})
