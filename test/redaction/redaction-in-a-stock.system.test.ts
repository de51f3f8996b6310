// `npm run proof -- redaction`: 10,000 made-up people are redacted in one batch, and then read nowhere: not in the API,
// the console, hits, messages, exports or copies. The records of 10,000 texts about somebody else stay as they were.
import { expect, test } from 'vitest'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { counterTextsOf, madeUpPerson, tracesIn } from './made-up-people.ts'
import { noticeOf, noticeWith, openPeopleWorld } from './people-in-a-stock.ts'

const count = proofCount({ share: 40, full: 10_000 })

test('D40: nobody who was redacted can be read from outside, and no record about somebody else changes', async () => {
  const random = randomOf(seed, 1)
  const people = Array.from({ length: count }, (_, number) => madeUpPerson(random, 'zq', number))
  const others = Array.from({ length: count }, (_, number) => madeUpPerson(random, 'zk', count + number))
  const about = others.map((person) => random.pick(counterTextsOf(person)))
  await using service = await openPeopleWorld([
    ...people.map((person, number) => noticeOf(random, person, number + 1)),
    ...about.map((text, number) => noticeWith(text, count + number + 1)),
  ])
  await service.publish()
  const before = await service.records()
  expect(before.size).toBe(2 * count)
  const read = async () => ({
    api: [...(await service.records()).values()].join('\n'),
    hits: await service.hitPages(),
    ndjson: await service.exported('ndjson'),
    csv: await service.exported('csv'),
    ocds: await service.exported('ocds'),
    parquet: await service.exported('parquet'),
    copy: await service.copied('ndjson'),
    database: await service.copied('sqlite'),
  })
  // the search for traces finds them while they are there
  for (const [place, text] of Object.entries(await read())) expect(tracesIn(text, 'zq'), place).not.toEqual([])
  const personal = [...before].filter(([, record]) => tracesIn(record, 'zq').length > 0).map(([id]) => id)
  expect(personal).toHaveLength(count)
  expect(tracesIn(await service.page(`/tenders/${personal[0]}`), 'zq')).not.toEqual([])

  const everybody = [...people, ...others]
  const [done] = (
    await service.command('redact', {
      name: everybody.map(({ name }) => name),
      email: everybody.map(({ mail }) => mail),
      phone: everybody.map(({ phone }) => phone),
      reason: 'request 7',
    })
  ).filter(({ event }) => event === 'redacted')
  expect(done).toMatchObject({ notices: count, records: count, suspects: [] })
  await service.deliver()
  expect(service.receiver.received.length).toBeGreaterThan(0)
  for (const { body } of service.receiver.received) expect(tracesIn(body, 'zq')).toEqual([])
  await service.publish()

  for (const [place, text] of Object.entries(await read())) expect(tracesIn(text, 'zq'), place).toEqual([])
  const after = await service.records()
  for (const id of personal.slice(0, 1000)) {
    const page = await service.page(`/tenders/${id}`)
    expect(page).toContain('[redacted]')
    expect(tracesIn(page, 'zq'), id).toEqual([])
  }
  const documents = await service.documents(2000)
  for (const text of documents) expect(tracesIn(text, 'zq')).toEqual([])
  // those that show somebody else show it still
  expect(documents.filter((text) => tracesIn(text, 'zk').length > 0).length).toBeGreaterThan(0)
  const unchanged = [...before].filter(([id]) => !personal.includes(id))
  expect(unchanged.filter(([id, record]) => after.get(id) !== record)).toEqual([])
}, 3_600_000)
