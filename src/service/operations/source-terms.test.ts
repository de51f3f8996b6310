// The list of what a person has to settle.
import { expect, test } from 'vitest'
import { openQuestions } from '../../sources/open-questions.ts'
import { loadSources } from '../../sources/registry.ts'
import type { EventOf } from '../events/command-event.ts'
import { listTerms } from './source-terms.ts'

async function terms(config: { readonly contact?: string }, keys: readonly string[] = [], options: object = {}) {
  const found: EventOf<'sourceTerm'>[] = []
  const context = { config, keyOf: (name: string) => (keys.includes(name) ? 'a key' : undefined) }
  await listTerms(context as never, { command: 'source terms', operands: [], options: { ...options } }, (event) => {
    if (event.event === 'sourceTerm') found.push(event)
  })
  return found
}

test('contact, keys, agreements, robots.txt, questions and licenses are listed, and what is settled is ticked', async () => {
  const sources = await loadSources()
  const all = await terms({})
  expect(all[0]).toMatchObject({ kind: 'contact', isSettled: false })
  const of = (kind: string) => all.filter((each) => each.kind === kind).map(({ source }) => source)
  expect(of('question').sort()).toEqual(Object.keys(openQuestions).sort())
  const keyed = [...sources.values()].filter(({ access }) => access.kind === 'key').map(({ id }) => id)
  expect(of('key')).toEqual(keyed)
  expect(of('agreement')).toContain('fr-place')
  expect(of('robots').length).toBeGreaterThan(2)
  expect(of('license').length).toBeGreaterThan(10)
  // a source that is off for another reason has to be read by nobody
  expect(all.map(({ source }) => source)).not.toContain('eu-ted-open-data')
  const settled = await terms({ contact: 'ops@example.org' }, ['SAM_API_KEY'], { country: 'us' })
  expect(settled.filter(({ isSettled, kind }) => isSettled && kind !== 'attribution').map(({ kind }) => kind)).toEqual([
    'contact',
    'key',
  ])
})
