import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { engines, openTestStore } from '../../test/world.ts'
import { addNames, knownNames, lookedAt, newNames } from '../store/sources/source-health.ts'
import { noteNames } from './note-names.ts'

const documentOf = (json: object) => {
  const bytes = Buffer.from(JSON.stringify(json))
  return { documentId: createHash('sha256').update(bytes).digest('hex'), bytes, isParsed: true }
}

test.each(engines)('%s: names of the first documents are usual, later ones are counted', async (engine) => {
  await using store = await openTestStore(engine)
  const first = Array.from({ length: 300 }, (_, id) => documentOf({ id, title: 'x' }))
  await noteNames(store.db, 'xx-example', first.slice(0, 200), 1000)
  await noteNames(store.db, 'xx-example', first.slice(200), 2000)
  const later = Array.from({ length: 800 }, (_, id) => documentOf({ id, title: 'x', lots: [{ number: 1 }] }))
  await noteNames(store.db, 'xx-example', later.slice(0, 400), 3000)
  await noteNames(store.db, 'xx-example', later.slice(400), 4000)

  const sampled = later.filter(({ documentId }) => documentId.startsWith('0')).length
  expect(sampled).toBeGreaterThan(20)
  const known = await knownNames(store.db, 'xx-example')
  expect(known.get('/title')).toBe(-1)
  expect(known.get(lookedAt)).toBe(300 + sampled)
  expect((await newNames(store.db, 1)).map(({ name, documents }) => [name, documents]).sort()).toEqual([
    ['/lots', sampled],
    ['/lots/number', sampled],
  ])
})

test.each(engines)('%s: names of every kind come back unchanged', async (engine) => {
  await using store = await openTestStore(engine)
  const names = ['__proto__', '12', '"\\', '{,}', 'NULL', 'ä€🂡', "';--", '']
  await addNames(store.db, 'xx-example', new Map(names.map((name, index) => [name, index])), 1000)
  expect(await knownNames(store.db, 'xx-example')).toEqual(new Map(names.map((name, index) => [name, index])))
})

test('documents that cannot be received say nothing about the schema', async () => {
  await using store = await openTestStore('embedded')
  await noteNames(store.db, 'xx-example', [{ ...documentOf({ odd: 1 }), isParsed: false }], 1000)
  expect(await knownNames(store.db, 'xx-example')).toEqual(new Map())
})
