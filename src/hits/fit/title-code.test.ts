import { expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import { fitOf } from './fit.ts'
import { readFitModel } from './fit-model.ts'
import { codeOfTitle } from './title-code.ts'

test.each<readonly [title: string, code: string | undefined]>([
  ['Dachdeckerarbeiten Kita Sonnenschein', '45261000'],
  ['Los 3 Malerarbeiten', '45440000'],
  ['Los3-Geruestarbeiten', '45262100'],
  ['Los 04: Gerüstarbeiten', '45262100'],
  ['Zimmerer- und Holzbauarbeiten', '45422000'],
  ['Rohbau- und Dachdeckerarbeiten', '45200000'],
  ['Maler- und Rohbauarbeiten', undefined],
  ['Planung der Malerarbeiten', undefined],
  ['Objektplanung Straßenbau', undefined],
  ['Wartung der Aufzüge', undefined],
  ['Neubau Grundschule', undefined],
  ['', undefined],
])('the code that a title tells: %s', (title, code) => {
  expect(codeOfTitle(title)).toBe(code)
})

const model = readFitModel()
const record = (members: object) =>
  ({
    id: 't',
    status: 'open',
    title: 'Los 3 Malerarbeiten',
    contractAmount: null,
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    ...members,
  }) as unknown as TenderRecord
const scored = (members: object, profile: object, profileId: string | null = 'p') =>
  fitOf({ profileId, profile, wins: [] }, record(members), model)

test('it counts half of a stated one, and says so', () => {
  const profile = { cpv: ['45442100'], words: ['anstrich'] }
  const byTitle = scored({}, profile).fit.parts[0]!
  const stated = scored({ cpvCodes: ['45440000'] }, profile).fit.parts[0]!
  expect(byTitle.text).toBe('no code stated; its title tells 45440000, like your 45442100')
  expect(byTitle.points).toBeGreaterThan(0)
  expect(byTitle.of).toBeLessThan(stated.of)
  expect(scored({}, { cpv: ['33000000'], words: ['anstrich'] }).fit.parts[0]).toMatchObject({
    points: 0,
    text: 'no code stated; its title tells 45440000, which has nothing of yours',
  })
})

test('the name of the authority in a text is no word of the tender', () => {
  const profile = { words: ['straßenbau'] }
  const contractingAuthority = { name: 'Landesamt für Straßenbau, Niederlassung Süd', country: 'DE' }
  const keywords = (description: string) =>
    scored({ title: 'Holzhäcksler', description, contractingAuthority }, profile).fit.parts[1]!.points
  expect(keywords('Name: Landesamt für Straßenbau. Ein Holzhäcksler.')).toBe(0)
  expect(keywords('Name: Landesamt für Straßenbau. Straßenbau in Musterau.')).toBeGreaterThan(0)
})

test('it counts neither beside a stated code nor for a search alone', () => {
  const profile = { cpv: ['33000000'], words: ['anstrich'] }
  expect(scored({ cpvCodes: ['33100000'] }, profile).fit.parts[0]!.text).toBe('33100000 lies below your 33000000')
  expect(scored({}, profile, null).fit.parts[0]).toMatchObject({ points: null, of: 0 })
})
