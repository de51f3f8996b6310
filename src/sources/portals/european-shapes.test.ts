// Odd entries of European portals: two shapes in one feed, ends before the award, standards inside of a portal's own
// answer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, describe, expect, it } from 'vitest'
import type { Notice, ParsedPart } from '../../domain/notice.ts'
import { fetchOf } from '../deliver/fetch-of.ts'
import { source as announcementService } from '../doe/doe.ts'
import type { FetchContext } from '../fetch.ts'
import type { Source } from '../source.ts'
import { kerndatenParser } from './at/parse-kerndaten.ts'
import { parseBosa } from './be/parse-bosa.ts'
import { parseAmtsblatt } from './ch/parse-amtsblatt.ts'
import { parseVvz } from './cz/parse-vvz.ts'
import { source as nrw } from './de/vergabe-nrw.ts'
import { placspParser } from './es/parse-placsp.ts'
import { parseFundingTenders } from './eu/parse-funding-tenders.ts'
import { parseHilma } from './fi/parse-hilma.ts'
import { parseBoamp } from './fr/parse-boamp.ts'
import { parseEtenders } from './ie/parse-etenders.ts'
import { source as liechtenstein } from './li/vergaben.ts'
import { parseTenderned } from './nl/parse-tenderned.ts'

const noticeId = 'e5c8b25e-859d-492a-9085-716017f267aa'
const procedureId = '0b7ad5c6-46dd-4d34-9fd7-4f1f5a3b2c11'
const eforms = `<?xml version="1.0" encoding="UTF-8"?>
<ContractNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>eforms-sdk-1.10</cbc:CustomizationID>
  <cbc:ID schemeName="notice-id">${noticeId}</cbc:ID>
  <cbc:ContractFolderID>${procedureId}</cbc:ContractFolderID>
  <cbc:VersionID>02</cbc:VersionID>
  <cbc:NoticeTypeCode listName="competition">cn-standard</cbc:NoticeTypeCode>
  <cbc:NoticeLanguageCode listName="language">ENG</cbc:NoticeLanguageCode>
  <cac:ProcurementProject><cbc:Name languageID="ENG">Bridges</cbc:Name></cac:ProcurementProject>
</ContractNotice>`

function only(parts: readonly ParsedPart[]): Notice {
  const [part] = parts
  if (parts.length !== 1 || !part || !('notice' in part)) throw new Error(`not one notice: ${JSON.stringify(parts)}`)
  return part.notice
}
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

describe('BOAMP', () => {
  const record = {
    idweb: '26-12345',
    objet: 'Réfection de ponts',
    nomacheteur: 'Ville de Lyon',
    nature: 'APPEL_OFFRE',
    dateparution: '2026-11-03',
    datelimitereponse: '2026-12-01T00:00:00+00:00',
  }
  const tree = {
    EFORMS: {
      ContractNotice: {
        'cbc:CustomizationID': 'eforms-sdk-1.10',
        'cbc:ID': { '@schemeName': 'notice-id', '#text': noticeId },
        'cbc:ContractFolderID': procedureId,
        'cbc:VersionID': '02',
        'cbc:NoticeTypeCode': { '@listName': 'competition', '#text': 'cn-standard' },
        'cbc:NoticeLanguageCode': 'FRA',
        'cac:ProcurementProject': { 'cbc:Name': { '@languageID': 'FRA', '#text': 'Réfection de ponts' } },
      },
    },
  }

  it('keeps the IDs of an eForms notice, by which its copies elsewhere are recognized', () => {
    expect(only(parseBoamp(json({ ...record, donnees: JSON.stringify(tree) })))).toMatchObject({
      noticeKey: 'fr-boamp:26-12345',
      publisher: 'fr-boamp',
      format: 'eforms',
      noticeId,
      noticeVersion: '02',
      procedureId,
      publicationDate: '2026-11-02T23:00:00.000Z',
    })
  })

  it('relies on its members alone if the content cannot be read, and reads midnight as a day', () => {
    const notice = only(parseBoamp(json({ ...record, donnees: '{"FNSimple":' })))
    expect(notice).toMatchObject({ format: 'portal', title: { fr: 'Réfection de ponts' }, formType: 'competition' })
    expect(notice.submissionDate).toBe('2026-12-01T22:59:59.000Z')
  })
})

describe('standard documents inside the answers of portals', () => {
  it('are read from an index of Kerndaten', () => {
    expect(only(kerndatenParser('at-kdq-aus')(Buffer.from(eforms)))).toMatchObject({ format: 'eforms', noticeId })
    expect(kerndatenParser('at-kdq-aus')(Buffer.from('<html><p>KD_8_1_Z2</p></html>'))).toMatchObject([
      { rejection: { reason: 'unsupported-format' } },
    ])
  })

  it('are read from base64 in an answer of Hilma', () => {
    const answer = { id: 77, procedureId: 55, eForm: Buffer.from(eforms).toString('base64') }
    expect(only(parseHilma(json(answer)))).toMatchObject({
      noticeKey: 'fi-hilma:77',
      publisher: 'fi-hilma',
      noticeId,
      noticeVersion: '02',
      url: 'https://www.hankintailmoitukset.fi/fi/public/procurement/55/notice/77/overview',
    })
    expect(parseHilma(json({ id: 78, eForm: 'no base64 of anything' }))).toMatchObject([{ rejection: {} }])
  })
})

describe('TenderNed', () => {
  const publication = {
    publicatieId: 412_345,
    publicatieDatum: '2026-11-03',
    aanbestedingNaam: 'Onderhoud bruggen',
    opdrachtgeverNaam: 'Gemeente Utrecht',
    aankondigingCode: { code: 'AGO' },
  }

  it('distinguishes an early end from an award, whose code it carries', () => {
    expect(only(parseTenderned(json(publication))).formType).toBe('result')
    expect(only(parseTenderned(json({ ...publication, isVroegtijdigeBeeindiging: true })))).toMatchObject({
      formType: 'competition',
      isCancelled: true,
    })
  })

  it('reads an entry of its feed', () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom"><entry>
      <title>Onderhoud bruggen</title>
      <link href="https://www.tenderned.nl/aankondigingen/overzicht/412345"/>
      <author><name>Gemeente Utrecht</name></author>
      <published>2026-11-03T09:00:00Z</published>
      <content>Aankondiging opdracht | CPV: 45221100-3 | Sluitingsdatum: 01-12-2026 12:00</content>
    </entry></feed>`
    expect(only(parseTenderned(Buffer.from(feed)))).toMatchObject({
      noticeKey: 'nl-tenderned:412345',
      contractingAuthorities: [{ name: 'Gemeente Utrecht' }],
      cpvCodes: ['45221100'],
      submissionDate: '2026-12-01T11:00:00.000Z',
    })
  })
})

describe('the Czech bulletin', () => {
  it('reads an entry of the search whose content is missing, by the number of its old form', () => {
    const entry = {
      id: 'a1',
      variableId: 'F2026-012345',
      data: {
        druhFormulare: 'F03',
        nazevZakazky: 'Oprava mostu',
        datumUverejneniVvz: '2026-11-03T08:00:00+01:00',
        evCisloTed: '2026/S 212-612345',
        zadavatele: [{ nazev: 'Město Brno', ico: '44992785' }],
      },
    }
    expect(only(parseVvz(json({ entry, detail: [] })))).toMatchObject({
      noticeKey: 'cz-vvz:F2026-012345',
      formType: 'result',
      title: { cs: 'Oprava mostu' },
      contractingAuthorities: [{ name: 'Město Brno', nationalId: '44992785' }],
      publicationNumber: '612345-2026',
    })
  })
})

describe('PLACSP', () => {
  it('recognizes an annulled folder, and treats its later state as another notice', () => {
    const entryOf = (status: string, updated: string) =>
      Buffer.from(`<feed xmlns="http://www.w3.org/2005/Atom" xmlns:c="urn:c" xmlns:e="urn:e"><entry>
        <id>https://contrataciondelestado.es/sindicacion/licitacionesPerfilContratante/123</id>
        <updated>${updated}</updated><title>Obras</title>
        <e:ContractFolderStatus><e:ContractFolderStatusCode>${status}</e:ContractFolderStatusCode></e:ContractFolderStatus>
      </entry></feed>`)
    const read = placspParser('es-placsp-643')
    const open = only(read(entryOf('PUB', '2026-11-03T10:00:00+01:00')))
    const annulled = only(read(entryOf('ANUL', '2026-11-09T10:00:00+01:00')))
    expect(annulled.isCancelled).toBe(true)
    expect(open.isCancelled).toBeUndefined()
    expect(annulled.noticeKey).not.toBe(open.noticeKey)
    expect(annulled.procedureId).toBe(open.procedureId)
  })
})

describe('BOSA', () => {
  it('distinguishes announcements in one workspace without IDs', () => {
    const entry = { publicationWorkspaceId: 'w1', dossier: { titles: [{ language: 'NL', text: 'Bruggen' }] } }
    const keys = ['2026-11-03', '2026-11-20'].map(
      (publicationDate) => only(parseBosa(json({ ...entry, publicationDate }))).noticeKey,
    )
    expect(new Set(keys).size).toBe(2)
  })
})

describe('the table of eTenders', () => {
  const head = 'Title,Resource ID,CA,Date published,Status'

  it('finds its columns in any order and spelling', () => {
    const table = 'STATUS,resource id,ca,TITLE,Date Published\nAwarded,77,Cork City Council,Bridges,03/11/2026 09:30\n'
    expect(only(parseEtenders(Buffer.from(table)))).toMatchObject({
      formType: 'result',
      title: { en: 'Bridges' },
      contractingAuthorities: [{ name: 'Cork City Council' }],
      publicationDate: '2026-11-03T09:30:00.000Z',
    })
  })

  it('rejects a truncated row, and reads one with an extra comma', () => {
    expect(parseEtenders(Buffer.from(`${head}\nBridges,77,Cork`))).toMatchObject([
      { rejection: { reason: 'malformed' } },
    ])
    const long = only(parseEtenders(Buffer.from(`${head}\nBridges,77,Cork City Council,03/11/2026,Open,again\n`)))
    expect(long.title).toEqual({ en: 'Bridges' })
  })
})

describe("Switzerland's gazette portal", () => {
  // A call that Ticino takes over from simap: titles under four languages, the text as escaped HTML.
  const publication = (language: string, title: string, html: string) => `<?xml version='1.0' encoding='UTF-8'?>
<OB-TI10:publication xmlns:OB-TI10="https://shab.ch/kabti/OB-TI10-export"><meta><id>1f0a</id><rubric>OB-TI</rubric>
<subRubric>OB-TI10</subRubric><language>${language}</language><registrationOffice><id>9b</id>
<displayName>Repubblica e Cantone del Ticino</displayName><street>Piazza Governo</street><town>Bellinzona</town></registrationOffice>
<publicationNumber>OB-TI10-0000000007</publicationNumber><publicationState>PUBLISHED</publicationState>
<publicationDate>2026-11-20</publicationDate><onBehalfOf>Comune di Esempio</onBehalfOf><cantons>TI</cantons>
<title><de>${title}</de><en>${title}</en><it>${title}</it><fr>${title}</fr></title></meta><content><title>${title}</title>
<publication>${html.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</publication>
<simapPublicationNumber>#31415-01</simapPublicationNumber></content></OB-TI10:publication>`
  it.each([
    [
      'de',
      'Ausschreibung - Neue Stege',
      '<p><b>Haupt-CPV:</b><br/>45221119 - Bau von Stegen</p><p><b>Einreichen des Angebots:</b> 19.01.2027, 11:00</p>',
    ],
    [
      'it',
      'Bando - Nuove passerelle',
      '<p><b>CPV principale:</b><br/>45221119 - Passerelle</p><p><b>Presentazione dell&apos;offerta:</b> 19.01.2027, 11:00</p>',
    ],
  ])('reads buyer, deadline, CPV and project of a call from simap (%s)', (language, title, html) => {
    expect(only(parseAmtsblatt(Buffer.from(publication(language, title, html))))).toMatchObject({
      formType: 'competition',
      title: { [language]: title },
      languages: [language],
      contractingAuthorities: [{ name: 'Comune di Esempio', country: 'CH' }],
      internalReference: '31415',
      submissionDate: '2027-01-19T10:00:00.000Z',
      cpvCodes: ['45221119'],
    })
  })
})

describe("the EU's funding and tenders portal", () => {
  const metadata = {
    identifier: ['ab-1-CN'],
    title: ['Study of orbits'],
    deadlineDate: ['2027-01-19T16:00:00.000+0000'],
    mainCpv: ['79311000'],
    additionalCpvs: ['73110000', '72000000'],
    cftEstimatedTotalProcedureValue: ['460000.00 EUR'],
    cftContractNoticeLink: ['[{"noticeType":"CN","publicationReference":"654321-2026"}]'],
  }
  it.each([
    '[{"name":"European Commission, DG DEFIS"}]',
    '["European Commission, DG DEFIS"]',
    'European Commission, DG DEFIS',
  ])('reads the buyer out of %s', (cftLeadContractingAuthorityCode) => {
    const answer = { metadata: { ...metadata, cftLeadContractingAuthorityCode: [cftLeadContractingAuthorityCode] } }
    expect(only(parseFundingTenders(json(answer)))).toMatchObject({
      contractingAuthorities: [{ name: 'European Commission, DG DEFIS' }],
      publicationNumber: '654321-2026',
      cpvCodes: ['79311000', '73110000', '72000000'],
      estimatedValue: { value: 460_000, currency: 'EUR' },
    })
  })
})

const scratchFolder = mkdtempSync(join(tmpdir(), 'european-shapes-'))
afterAll(() => rmSync(scratchFolder, { recursive: true }))

/** What the first channel of a source reads from one answer. */
async function readAnswer(source: Source, bytes: Uint8Array): Promise<ParsedPart[]> {
  const context: FetchContext = {
    slot: { key: 'whole' },
    checkpoint: undefined,
    zone: source.zone,
    key: '',
    now: () => Date.UTC(2026, 10, 20),
    scratchFolder,
    signal: new AbortController().signal,
    knownVersions: async () => new Map(),
    send: async () => ({
      status: 200,
      headers: {},
      version: undefined,
      bytes: async () => bytes,
      async *chunks() {
        yield bytes
      },
    }),
  }
  const read: ParsedPart[] = []
  for await (const { documents } of fetchOf(source.channels[0].delivery)(context))
    read.push(...documents.flatMap((document) => source.parse!(document.bytes)))
  return read
}

describe('a feed of vergabe.NRW', () => {
  it('is a zip of notices, each with the key that it has in the announcement service', async () => {
    const notices = ['eforms-de-2.1', 'eforms-sdk-1.12'].map((profile, index) =>
      Buffer.from(eforms.replace('eforms-sdk-1.10', profile).replace(noticeId, noticeId.replace(/^e/, String(index)))),
    )
    const zip = zipSync(Object.fromEntries(notices.map((bytes, index) => [`${index}.xml`, bytes])))
    const read = await readAnswer(nrw, zip)
    const keysOf = (parts: readonly ParsedPart[]) => parts.map((part) => 'notice' in part && part.notice.noticeKey)
    expect(keysOf(read)).toEqual(['0', '1'].map((first) => `doe:${noticeId.replace(/^e/, first)}-02`))
    expect(keysOf(read)).toEqual(keysOf(notices.flatMap((bytes) => announcementService.parse!(bytes))))
  })
})

describe('Liechtenstein', () => {
  it('finds the notices in the wrapper of the answer', async () => {
    const notice = { id: 611, name: 'Sanierung Schulhaus', formName: 'Offenes Verfahren', contAuthOfficialName: 'Land' }
    const bytes = json({ result: [{ ...notice, submitDeadline: '2026-12-12T17:00:00', tresholdTypeId: 1 }] })
    expect(only(await readAnswer(liechtenstein, bytes))).toMatchObject({
      noticeId: '611',
      contractingAuthorities: [{ name: 'Land' }],
      submissionDate: '2026-12-12T16:00:00.000Z',
    })
  })
})
