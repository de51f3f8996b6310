// The numbered assertions of the specification, black-box over HTTP against a running service. TENDERSTOCK_URL and
// TENDERSTOCK_TOKEN point it at another service; then only assertions that need no control over it are checked.
import { afterAll, beforeAll, describe } from 'vitest'
import { intervalAssertions, limitAssertions, refusalAssertions } from './access-assertions.ts'
import { changeAssertions, cursorAssertions } from './change-assertions.ts'
import { firstFixtures, fixtureFiles, secondFixtures } from './fixtures.ts'
import { notHere, summary } from './ledger.ts'
import { combinationAssertions, filterAssertions, genericAssertions } from './static-assertions.ts'
import { startService } from './trial-process.ts'
import { World } from './world.ts'

const elsewhere = { url: process.env.TENDERSTOCK_URL, token: process.env.TENDERSTOCK_TOKEN }
const world = new World()

beforeAll(async () => {
  if (elsewhere.url !== undefined) {
    world.base = elsewhere.url.replace(/\/+$/, '')
    world.token = elsewhere.token ?? ''
    return
  }
  world.service = await startService({
    files: fixtureFiles(firstFixtures(world.times)),
    args: ['--publish-interval-minutes', '0', '--log-level', 'info'],
  })
  world.base = world.service.api()
  world.token = world.service.token()
  world.learn(await world.state())
})

afterAll(async () => {
  await world.service?.stop()
  console.log(summary(143))
})

describe('any state', () => genericAssertions(world))
describe('combined filters', () => combinationAssertions(world))
describe('refusals', () => refusalAssertions(world))

notHere(
  'elsewhere',
  'C21',
  'test/estimated-values.system.test.ts: a model takes 300 priced tenders, more than the fixtures',
)
notHere('elsewhere', 'C83', 'test/model: generated stocks hold estimated values')
notHere(
  'elsewhere',
  'C131',
  'test/several-nodes.system.test.ts: three processes, with TEST_DATABASE_URL and TEST_REDIS_URL',
)

if (elsewhere.url === undefined) {
  describe('filters on fixtures', () => filterAssertions(world))
  describe('changes between editions', () => changeAssertions(world))
  describe('tokens and limits', () => limitAssertions(world))
  describe('the interval between editions', () =>
    intervalAssertions(
      () => fixtureFiles(firstFixtures(world.times).slice(0, 12)),
      () => fixtureFiles(secondFixtures(world.times).slice(-2)),
    ))
  describe('cursors over time', () => cursorAssertions(world))
} else {
  const numbers = [
    2,
    4,
    5,
    6,
    8,
    10,
    12,
    20,
    22,
    23,
    24,
    25,
    26,
    27,
    29,
    30,
    32,
    33,
    34,
    35,
    51,
    52,
    54,
    ...range(55, 63),
    ...range(65, 69),
    71,
    72,
    73,
    74,
    ...range(78, 82),
    ...range(84, 89),
    ...range(100, 106),
    109,
    114,
    115,
    116,
    119,
    120,
    ...range(121, 130),
    137,
    141,
  ]
  for (const number of numbers) notHere('skipped', `C${number}`, 'needs control of the service')
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
