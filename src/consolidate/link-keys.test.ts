// Which values become keys, and which distinguish nothing.
import { describe, expect, test } from 'vitest'
import { lot, notice, uuid } from '../../test/testing/generate/notices.ts'
import { buyerIdentity, buyerKeys, buyersConflict } from './buyer-identity.ts'
import { addressOf, cleanReferenceNumber, documentsProject, linkKeys, procedureScope } from './link-keys.ts'

const keysOf = (given: Parameters<typeof notice>[0]) => linkKeys(notice(given)).map(({ key }) => key)

describe('link keys', () => {
  test('scope procedure ids: BT-04 over all portals, an OCID within its prefix, a number within its publisher', () => {
    const scope = (procedureId: string, publisher = 'ted') =>
      procedureScope(notice({ noticeKey: `${publisher}:1`, procedureId }))?.scope
    expect(scope(uuid(1))).toBe('bt-04')
    expect(scope('ocds-b5fd17-1')).toBe('ocds-b5fd17')
    expect(scope('4711', 'doe')).toBe('publisher:doe')
  })

  test('ignore a procedure id of the official examples, in any case', () => {
    expect(
      procedureScope(notice({ noticeKey: 'ted:1', procedureId: 'AFF2863E-b4cc-4e91-baba-b3b85f709117' })),
    ).toBeUndefined()
  })

  test('join BT-04 with the tender id of an OCDS release that repeats it', () => {
    const [release] = keysOf({
      noticeKey: 'ocds-mnwr74:1',
      format: 'ocds',
      procedureId: 'ocds-mnwr74-1',
      internalReference: uuid(5),
    }).filter((key) => key.startsWith('f:bt-04'))
    expect(keysOf({ noticeKey: 'ted:1', procedureId: uuid(5) })).toContain(release)
  })

  test('read versions and journal numbers without their padding', () => {
    const padded = keysOf({
      noticeKey: 'ted:1',
      noticeId: uuid(2),
      noticeVersion: '01',
      publicationNumber: '00123456-2026',
    })
    const bare = keysOf({ noticeKey: 'ted:1', noticeId: uuid(2), noticeVersion: '1', publicationNumber: '123456-2026' })
    expect(padded).toEqual(bare)
    expect(padded).toContain('p:123456-2026')
  })

  test('keep notice numbers that are no UUID within their publisher', () => {
    const doe = keysOf({ noticeKey: 'doe:25438044-1', noticeId: '25438044' }).find((key) => key.startsWith('n:'))
    const other = keysOf({ noticeKey: 'x:25438044-1', noticeId: '25438044' }).find((key) => key.startsWith('n:'))
    expect(doe).not.toBe(other)
  })

  test.each([
    ['2026GLM035D', '2026GLM035D'],
    ['VV-17/044', 'VV17044'],
    ['vj', undefined],
    ['nessuna', undefined],
    ['2021', undefined],
    ['Open House Rabattverträge', undefined],
    ['A-1', undefined],
    [undefined, undefined],
  ])('reference number %s is the key %s', (reference, key) => {
    expect(cleanReferenceNumber(reference)).toBe(key)
  })

  test.each([
    ['https://www.dtvp.example/Satellite/notice/CXP4YFGRT12/documents', 'dtvp.example/cxp4yfgrt12'],
    [`https://portal.example/tender/${uuid(7)}?lang=de`, `portal.example/${uuid(7)}`],
    ['https://platform.example/projectForwarding.do?pid=117923', 'platform.example/pid=117923'],
    ['https://www.buyer.example/ausschreibungen', undefined],
    ['https://www.buyer.example/', undefined],
    ['no address', undefined],
  ])('documents at %s name the project %s', (url, project) => {
    expect(documentsProject(addressOf(url))).toBe(project)
  })

  test('contain no number and no address of announcements and modifications, which later procedures may share', () => {
    const given = { internalReference: 'V-5001', lots: [lot('1', { documentsUrl: `https://a.example/${uuid(7)}` })] }
    const weak = (key: string) => /^[dr]:/.test(key)
    expect(keysOf({ noticeKey: 'ted:1', ...given }).filter(weak)).toHaveLength(3)
    expect(keysOf({ noticeKey: 'ted:1', formType: 'planning', ...given }).filter(weak)).toEqual([])
    expect(keysOf({ noticeKey: 'ted:1', formType: 'cont-modif', ...given }).filter(weak)).toEqual([])
  })

  test('are short enough for an index, whatever a publisher writes', () => {
    const long = keysOf({
      noticeKey: `ocds-b5fd17:${'ä'.repeat(5000)}`,
      noticeId: 'x'.repeat(5000),
      procedureId: 'y'.repeat(9000),
    })
    expect(Math.max(...long.map((key) => Buffer.byteLength(key)))).toBeLessThanOrEqual(160)
  })
})

describe('buyers', () => {
  const conflict = (a: Parameters<typeof buyerIdentity>[0], b: Parameters<typeof buyerIdentity>[0]) =>
    buyersConflict(buyerIdentity(a), buyerIdentity(b))

  test.each([
    [[{ name: 'Hochbauamt Kanton Zug' }], [{ name: 'Rhätische Bahn AG' }], true],
    [[{ name: 'Musterstadt Hochbauamt' }], [{ name: 'Hochbauamt der Stadt Musterstadt' }], false],
    [[{ name: 'Gruen GmbH' }], [{ name: 'Grün' }], false],
    [[{ name: 'Eins', nationalId: 'DE 123456789' }], [{ name: 'Zwei', nationalId: 'de123456789' }], false],
    [[{ name: 'Eins', nationalId: 'TBD' }], [{ name: 'Zwei', nationalId: 'TBD' }], true],
    [[{ name: 'Alpha' }, { name: 'Beta' }], [{ name: 'Beta' }, { name: 'Gamma' }], false],
    [[], [{ name: 'Gamma' }], false],
  ] as const)('%j and %j conflict: %s', (a, b, expected) => {
    expect(conflict(a, b)).toBe(expected)
    expect(conflict(b, a)).toBe(expected)
  })

  test('have no id if it is a placeholder', () => {
    const keysFor = (nationalId: string) => buyerKeys({ name: 'Eins', nationalId, country: 'DE' })
    expect(['TBD', 'n/a', '0000', 't:', 'ORG-0001'].flatMap(keysFor)).toEqual(
      Array.from({ length: 5 }, () => 'DE|eins'),
    )
    expect(keysFor('DE811111111')).toEqual(['DE|811111111', 'DE|eins'])
  })
})
