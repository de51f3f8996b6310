// Made-up tenders in which somebody looks for roofs in Saxony.
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, toInstant } from '../../src/domain/time.ts'
import { type ConsoleWorld, startOfConsole } from './console-world.ts'
import { publishTenders } from './put-tenders.ts'

/** The id of tender `number`. */
export const roofTenderId = (number: number) => `${String(number).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

/** 60 tenders: every second about roofs, every third in Saxony, every fifth announced, the last ten awarded. */
function contentOf(number: number): TenderContent {
  const isAwarded = number > 50
  const status = isAwarded ? 'awarded' : number % 5 === 0 ? 'planned' : 'open'
  return {
    id: roofTenderId(number),
    title: number % 2 === 0 ? `Dachsanierung Grundschule ${number}` : `Straßenreinigung ${number}`,
    description: number % 2 === 0 ? 'Erneuerung der Dachdeckung' : 'Kehren & <b>Räumen</b>',
    language: 'de',
    status,
    ...(isAwarded && { archiveReason: 'awarded' }),
    contractAmount: number % 4 === 0 ? { value: number * 10_000, currency: 'EUR', estimated: number % 8 === 0 } : null,
    contractingAuthority: { name: `Stadt ${number % 7}`, city: 'Quellmar', country: 'DE', email: 'a@b.example' },
    nutsCodes: [number % 3 === 0 ? 'DED21' : 'DE212'],
    cpvCodes: [number % 2 === 0 ? '45261000' : '90610000'],
    contractNature: number % 2 === 0 ? 'works' : 'services',
    ...(status === 'open' && { submissionDate: toInstant(startOfConsole + number * dayMs), timeZone: 'Europe/Berlin' }),
    publicationDate: toInstant(startOfConsole - number * dayMs),
    lots: [],
    originalSources: [{ publisher: 'ted', format: 'eforms', formType: 'competition', noticeType: 'cn-standard' }],
  } as TenderContent
}

/** Puts the roofs into the stock, and publishes them. */
export const publishRoofTenders = (world: ConsoleWorld): Promise<void> =>
  publishTenders(
    world,
    Array.from({ length: 60 }, (_, index) => contentOf(index + 1)),
  )

/** An open roof in Saxony. */
export const openRoof = (number: number): TenderContent =>
  ({
    id: roofTenderId(number),
    title: `Dachsanierung Grundschule ${number}`,
    language: 'de',
    status: 'open',
    contractAmount: { value: number * 10_000, currency: 'EUR', estimated: false },
    contractingAuthority: { name: 'Stadt Quellmar', city: 'Quellmar', country: 'DE' },
    nutsCodes: ['DED21'],
    cpvCodes: ['45261000'],
    submissionDate: toInstant(startOfConsole + (20 + number) * dayMs),
    timeZone: 'Europe/Berlin',
    lots: [],
    originalSources: [],
  }) as unknown as TenderContent
