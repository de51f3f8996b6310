// Made-up tenders of one authority, some awarded, whose winners are companies and people.
import type { TenderContent, TenderOrganization } from '../../src/domain/tender.ts'
import { dayMs, toInstant } from '../../src/domain/time.ts'
import { type ConsoleWorld, startOfConsole } from './console-world.ts'
import { publishTenders } from './put-tenders.ts'

export const marketTenderId = (number: number) => `${String(number).padStart(8, '0')}-8d3e-8b64-9a10-5c2e7f4b9d31`
export const marketTown = { name: 'Stadt Lechfeld', nationalId: '09-761-000', country: 'DE', city: 'Lechfeld' }
export const marketCompany = {
  name: 'Anna Glanz Gebäudereinigung GmbH',
  nationalId: 'HRB 24923 Augsburg',
  country: 'DE',
}
export const marketPerson = { name: 'Hans Wiesner', nationalId: 'DE 246 813 579', country: 'DE' }
const contradicting = { ...marketTown, name: 'Landkreis Auental' }

type Made = {
  readonly title: string
  readonly buyer: TenderOrganization
  readonly status: TenderContent['status']
  readonly cpv: string
  readonly winner?: TenderOrganization
}

const made: readonly Made[] = [
  {
    title: 'Unterhaltsreinigung Rathaus',
    buyer: marketTown,
    status: 'awarded',
    cpv: '90910000',
    winner: marketCompany,
  },
  { title: 'Glasreinigung Schulen', buyer: marketTown, status: 'awarded', cpv: '90910000', winner: marketCompany },
  { title: 'Malerarbeiten Schule', buyer: marketTown, status: 'awarded', cpv: '45442100', winner: marketPerson },
  { title: 'Neubau Kita', buyer: marketTown, status: 'open', cpv: '45214100' },
  { title: 'Winterdienst', buyer: marketTown, status: 'planned', cpv: '90620000' },
  { title: 'Straßenreinigung', buyer: contradicting, status: 'awarded', cpv: '90610000', winner: marketCompany },
]

const contentOf = ({ title, buyer, status, cpv, winner }: Made, index: number): TenderContent =>
  ({
    id: marketTenderId(index + 1),
    title,
    language: 'de',
    status,
    ...(status === 'awarded' && { archiveReason: 'awarded' }),
    contractAmount: null,
    contractingAuthority: buyer,
    procedureType: 'open',
    nutsCodes: ['DE275'],
    cpvCodes: [cpv],
    ...(status === 'open' && { submissionDate: toInstant(startOfConsole + 9 * dayMs), timeZone: 'Europe/Berlin' }),
    publicationDate: toInstant(startOfConsole - (index + 1) * dayMs),
    lots: [
      {
        lotId: 'LOT-0001',
        status: status === 'awarded' ? 'awarded' : 'open',
        cpvCodes: [cpv],
        nutsCodes: [],
        ...(winner && { winners: [winner], awardedAmount: { value: 100_000 * (index + 1), currency: 'EUR' } }),
      },
    ],
    originalSources: [
      { publisher: 'ted', format: 'eforms', formType: 'competition', noticeType: 'cn-standard' },
      ...(status === 'awarded'
        ? [
            {
              publisher: 'ted',
              format: 'eforms',
              formType: 'result',
              noticeType: 'can-standard',
              publicationDate: toInstant(startOfConsole - (index + 1) * dayMs),
            },
          ]
        : []),
    ],
  }) as TenderContent

/** Puts them into the stock, and publishes them. */
export const publishMarket = (world: ConsoleWorld): Promise<void> => publishTenders(world, made.map(contentOf))
