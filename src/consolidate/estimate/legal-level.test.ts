// Level and kind of a contract: codes before channel, channel before words, and silence where nothing says it.
import { describe, expect, test } from 'vitest'
import { notice } from '../../../test/testing/generate/notices.ts'
import type { Notice } from '../../domain/notice.ts'
import type { TenderContent } from '../../domain/tender.ts'
import { mergeTender } from '../merge.ts'
import { natureOf } from './contract-nature.ts'
import { legalLevelOf } from './legal-level.ts'

const id = '0c7e1737-6318-441f-8ae0-c734a95fc48a'

function contentOf(given: Partial<Notice>): TenderContent {
  const { contractNature: _nature, ...made } = notice({ noticeKey: 'doe:1', publisher: 'doe', noticeId: id })
  const one = { ...made, cpvCodes: [], contractingAuthorities: [{ name: 'Stadt Muster', country: 'DE' }], ...given }
  return JSON.parse(mergeTender(one.noticeKey, [one], { now: 0, isSucceeded: false }).content) as TenderContent
}

const titled = (title: string, given: Partial<Notice> = {}): TenderContent =>
  contentOf({ title: { de: title }, ...given })

describe('the level', () => {
  test.each<[string, Partial<Notice>, string | undefined]>([
    ['a directive', { legalBasis: '32014L0024' }, 'eu'],
    ['a directive before the channel', { legalBasis: '32009L0081', noticeId: '24000001' }, 'eu'],
    ['UVgO', { legalBasis: 'de-uvgo' }, 'national'],
    ['VOB/A', { legalBasis: 'de-vob' }, 'national'],
    ['the budget law', { legalBasis: 'de-hhr' }, 'national'],
    ['a number in place of a UUID', { noticeId: '24000001' }, 'national'],
    ['a national procedure', { procedureTypeNational: 'de-open' }, 'national'],
    ['a procedure of sub-threshold sectors', { procedureTypeNational: 'us-neg-tw' }, 'national'],
    ['a procedure in words', { procedureTypeNational: 'beabsichtigte Beschränkte Ausschreibung' }, 'national'],
    ['the journal', { publicationNumber: '1234-2026' }, 'eu'],
    ['nothing', { legalBasis: 'other' }, undefined],
  ])('%s', (_, given, level) => {
    expect(legalLevelOf(contentOf({ title: { de: 'Malerarbeiten' }, ...given }))).toBe(level)
  })

  test.each([
    ['Unterhaltsreinigung nach § 9 UVgO', 'national'],
    ['Büromöbel, VOL/A', 'national'],
    ['Malerarbeiten gemäß VOB/A Abschnitt 1', 'national'],
    ['Öffentliche Ausschreibung: Streusalz', 'national'],
    ['Verhandlungsvergabe Gutachten', 'national'],
    ['Rohbau nach VOB/A EU', 'eu'],
    ['Rohbau, VOB/A-EU', 'eu'],
    ['Offenes Verfahren (EU-weit): Wartung', 'eu'],
    ['Verhandlungsverfahren mit Teilnahmewettbewerb: Objektplanung', 'eu'],
    ['Tragwerksplanung, VgV', 'eu'],
    ['Im Rahmen einer europaweiten offenen Ausschreibung', 'eu'],
    ['Rohbau nach VOB', undefined],
    ['Leistungen nach VOB/B und VOB/C', undefined],
    ['Ausschluss nach §§ 123, 124 GWB', undefined],
    ['Das Unternehmen ist europaweit tätig', undefined],
    ['Leitungsbau: Verlegung im offenen Verfahren', undefined],
    ['Schwellenwerte des Naturschutzes', undefined],
  ])('the words "%s"', (title, level) => {
    expect(legalLevelOf(titled(title))).toBe(level)
  })

  test('words count in Germany only', () => {
    const abroad = { publisher: 'x', contractingAuthorities: [{ name: 'Stadt', country: 'AT' }] }
    expect(legalLevelOf(titled('Offenes Verfahren', abroad))).toBeUndefined()
  })
})

describe('the kind of contract', () => {
  test.each<[string, Partial<Notice>, string | undefined]>([
    ['Irgendetwas', { contractNature: 'supplies', cpvCodes: ['45000000'] }, 'supplies'],
    ['Irgendetwas', { cpvCodes: ['45233120'] }, 'works'],
    ['Irgendetwas', { cpvCodes: ['30213100'] }, 'supplies'],
    ['Irgendetwas', { cpvCodes: ['48000000'] }, 'supplies'],
    ['Irgendetwas', { cpvCodes: ['71240000'] }, 'services'],
    ['Malerarbeiten', {}, 'works'],
    ['Lieferung eines Traktors', {}, 'supplies'],
    ['Unterhaltsreinigung der Schulen', {}, 'services'],
    ['Lieferung und Wartung', {}, undefined],
    ['Los 3 nach VOB/A', {}, 'works'],
    ['Los 3 nach UVgO', {}, 'notWorks'],
    ['Los 3', {}, undefined],
  ])('%s %j: %s', (title, given, nature) => {
    expect(natureOf(titled(title, given))).toBe(nature)
  })
})
