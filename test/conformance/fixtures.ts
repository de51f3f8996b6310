// The made-up stock of the conformance tests: what each assertion needs, by name, and filler for paging.
import { type FixtureNotice, fixtureXml } from './fixture-notice.ts'

const dayMs = 86_400_000

/** Times of the fixtures, relative to the moment at which the tests began. */
export type FixtureTimes = {
  readonly deadline: string
  readonly soon: string
  readonly published: string
  readonly dayBefore: string
}

export function fixtureTimes(now: number): FixtureTimes {
  const day = (ms: number): string => new Date(Math.floor(ms / dayMs) * dayMs).toISOString()
  return {
    deadline: day(now + 60 * dayMs).replace('T00:00:00.000Z', 'T10:00:00.123Z'),
    soon: day(now + 3 * dayMs).replace('T00:00:00.000Z', 'T10:00:00.000Z'),
    published: day(now - 5 * dayMs).slice(0, 10),
    dayBefore: day(now - 6 * dayMs).slice(0, 10),
  }
}

const fillerCount = 260

/** The notices that are known before the first edition. */
export function firstFixtures(times: FixtureTimes): FixtureNotice[] {
  const call = (procedure: string, members: Partial<FixtureNotice> = {}): FixtureNotice => ({
    procedure,
    published: times.published,
    deadline: times.deadline,
    ...members,
  })
  return [
    ...[
      '45000000',
      '45210000',
      '45211000',
      '45211100',
      '45211200',
      '45220000',
      '30192121',
      '30192126',
      '30000000',
      '31000000',
      '39000000',
      '03212210',
      '03212211',
      '03212213',
      '03212220',
    ].map((code) => call(`cpv-${code}`, { cpv: [code] })),
    call('cpv-in-lot', { cpv: ['79000000'], lots: [{ cpv: ['45211100'] }] }),
    call('cpv-none'),
    ...['DE', 'DE1', 'DE2', 'DE21', 'DE212', 'DE22', 'FR1'].map((code) => call(`nuts-${code}`, { nuts: [code] })),
    call('nuts-none'),
    call('nuts-city-only', { city: 'Fixtureton' }),
    call('published-before', { published: times.dayBefore }),
    { procedure: 'published-never', deadline: times.deadline },
    call('deadline-none', { deadline: undefined as never }),
    call('deadline-participation-only', { deadline: undefined as never, participationDeadline: times.deadline }),
    call('value-100000', { value: ['100000', 'EUR'] }),
    call('value-100000.50', { value: ['100000.50', 'EUR'] }),
    call('value-99999.99', { value: ['99999.99', 'EUR'] }),
    call('value-sek', { value: ['100000', 'SEK'] }),
    call('value-none'),
    ...[
      'open',
      'restricted',
      'neg-w-call',
      'neg-wo-call',
      'comp-dial',
      'comp-tend',
      'innovation',
      'oth-single',
      'oth-mult',
      'exp-int-rail',
    ].map((type) => call(`procedure-${type}`, { procedureType: type })),
    call('procedure-none'),
    { procedure: 'old', published: '2022-01-15', deadline: '2022-02-15T10:00:00.000Z' },
    call('awarded-before'),
    call('awarded-before', { notice: 'award', kind: 'award', dispatched: `${times.published}T12:00:00.000Z` }),
    call('two-portals', { nuts: ['DE212'] }),
    call('two-portals', { portal: 'doe', nuts: ['DE212'] }),
    call('changed'),
    call('region-moves', { nuts: ['DE212'], cpv: ['92111000'] }),
    call('old-corrected', { published: '2022-03-01', deadline: '2022-04-01T10:00:00.000Z' }),
    call('awarded-later'),
    call('cancelled-later'),
    call('failed-later'),
    call('expires', { deadline: times.soon }),
    call('kept', { published: times.dayBefore }),
    // The second publication of `kept`, by a portal that states no procedure ID: nothing joins the two yet.
    call('kept', { notice: 'twin', portal: 'doe', withoutProcedureId: true, title: 'Fixture twin' }),
    ...Array.from({ length: fillerCount }, (_, index) =>
      call(`filler-${String(index).padStart(3, '0')}`, { cpv: ['98000000'] }),
    ),
  ]
}

/** The notices that arrive between the first and the second edition. */
export function secondFixtures(times: FixtureTimes): FixtureNotice[] {
  const later = (procedure: string, members: Partial<FixtureNotice>): FixtureNotice => ({
    procedure,
    published: times.published,
    dispatched: `${times.published}T15:00:00.000Z`,
    deadline: times.deadline,
    ...members,
  })
  return [
    later('changed', {
      notice: 'change',
      kind: 'change',
      changes: { notice: 'call' },
      title: 'Fixture changed, corrected',
    }),
    later('region-moves', {
      notice: 'change',
      kind: 'change',
      changes: { notice: 'call' },
      nuts: ['FR1'],
      cpv: ['92111000'],
    }),
    later('old-corrected', {
      notice: 'change',
      kind: 'change',
      changes: { notice: 'call' },
      published: '2022-03-05',
      dispatched: '2022-03-05T00:00:00.000Z',
      title: 'Fixture old-corrected, corrected',
      deadline: '2022-04-01T10:00:00.000Z',
    }),
    later('awarded-later', { notice: 'award', kind: 'award' }),
    later('cancelled-later', { notice: 'void', kind: 'cancellation', changes: { notice: 'call' } }),
    later('failed-later', { notice: 'failed', kind: 'unsuccessful' }),
    later('new-in-second', {}),
    // The twin's next version names the procedure: it is the same tender as `kept`.
    later('kept', { notice: 'twin', version: '02', portal: 'doe', title: 'Fixture twin' }),
  ]
}

/** The notices that arrive before the third edition: a deadline that is extended after its end brings a tender back. */
export function thirdFixtures(times: FixtureTimes): FixtureNotice[] {
  return [
    {
      procedure: 'expires',
      notice: 'longer',
      kind: 'change',
      changes: { notice: 'call' },
      published: times.published,
      dispatched: `${times.published}T16:00:00.000Z`,
      deadline: times.deadline,
    },
  ]
}

/** The documents, by file name. */
export function fixtureFiles(fixtures: readonly FixtureNotice[]): [name: string, xml: string][] {
  return fixtures.map((fixture, index) => [
    `${String(index).padStart(4, '0')}-${fixture.procedure}-${fixture.notice ?? 'call'}.xml`,
    fixtureXml(fixture),
  ])
}
