// If a parser reads something else from the made-up documents, stored documents have to be parsed again, which only a
// higher version causes.
import { expect, test } from 'vitest'
import { isNewlyRaised, makePrints, readPrints, withNewSources } from './source-prints.ts'

const [kept, made] = [readPrints(), await makePrints()]

test('what the parsers read and the writers write of each source has the print of parserVersion', () => {
  const changed = Object.entries(made.sources).flatMap(([id, { parsed, written }]) => {
    const before = kept.sources[id]
    if (!before) return []
    return [
      ...(parsed === before.parsed ? [] : [`${id} parsed`]),
      ...(written === before.written ? [] : [`${id} written`]),
    ]
  })
  const isRaised = made.parserVersion !== kept.parserVersion
  expect(
    isRaised ? [] : changed,
    'If `parsers` (src/domain/stock-rules.ts) was raised since the newest commit: npm run generate. Else, where a ' +
      'parser reads something else, raise it (once more, if that commit raised it); where only made-up documents ' +
      'changed, delete the lines of these sources in test/sources/source-prints.json. Then: npm run generate',
  ).toEqual([])
  expect(isRaised, 'run: npm run generate').toBe(false)
  expect(Object.keys(made.sources), 'run: npm run generate').toEqual(Object.keys(kept.sources))
})

test('a print stays while its line and the version stay', () => {
  const before = { ...made, sources: { ted: { parsed: 'before' }, gone: { parsed: 'x' } } }
  expect(withNewSources(before, made)).toEqual({ ...made, sources: { ...made.sources, ted: { parsed: 'before' } } })
  expect(withNewSources({ ...before, parserVersion: made.parserVersion - 1 }, made)).toEqual(made)
})

test('a raise that is not committed yet covers what changes after it', () => {
  const committed = { ...made, parserVersion: made.parserVersion - 1 }
  expect(isNewlyRaised(committed, made)).toBe(true)
  expect(isNewlyRaised(made, made)).toBe(false)
  expect(isNewlyRaised(undefined, made)).toBe(false)
})
