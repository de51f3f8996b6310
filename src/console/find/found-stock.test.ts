// Who looks through the stock and who through samples, and how much of it.
import { expect, test } from 'vitest'
import type { ConsoleContext } from '../frame/console-context.ts'
import { PageError, type PageRequest } from '../frame/page.ts'
import { StockLimits } from '../frame/stock-access.ts'
import { stockFor } from './found-stock.ts'

const made = { newest: { publishedAt: 5, records: 7 } }
const live = { newest: { publishedAt: 9, records: 90 } }

function worldOf({ hasAccess = false, isStockMadeUp = false } = {}) {
  return {
    editions: live,
    hasSamples: isStockMadeUp,
    samples: () => ({ editions: made, isFrozen: true }),
    directory: { organization: () => ({ hasApiAccess: hasAccess }) },
  } as never as ConsoleContext
}
const asking = (viewer?: {
  readonly isOperator?: boolean
  readonly organizations?: readonly string[]
  readonly person?: string
}) =>
  ({
    language: 'en',
    now: 1000,
    addressPrefix: '192.0.2.0/24',
    viewer: viewer && {
      person: { personId: viewer.person ?? 'p', isOperator: viewer.isOperator ?? false },
      memberships: (viewer.organizations ?? []).map((organizationId) => ({
        organizationId,
        name: 'Acme',
        hasAccessArea: true,
      })),
    },
  }) as never as PageRequest
const seen = (context: ConsoleContext, request: PageRequest) => {
  const stock = stockFor(context, request)
  return typeof stock === 'string' ? stock : [stock.editions, stock.pages, stock.now]
}

test('the stock is for members whose organization has access now, and for operators', () => {
  const member = asking({ organizations: ['acme'] })
  expect(seen(worldOf({ hasAccess: true }), member)).toEqual([live, '/tenders/', 1000])
  expect(seen(worldOf(), asking({ isOperator: true }))).toEqual([live, '/tenders/', 1000])
  // the area stays when the contract has ended; the access does not
  expect(seen(worldOf(), member)).toEqual([made, '/samples/', 5])
  expect(seen(worldOf({ hasAccess: true }), asking())).toEqual([made, '/samples/', 5])
  expect(seen(worldOf({ hasAccess: true }), asking({}))).toEqual([made, '/samples/', 5])
})

test('a stock that is made up is for everybody', () => {
  expect(seen(worldOf({ isStockMadeUp: true }), asking())).toEqual([live, '/samples/', 1000])
  expect(seen(worldOf({ isStockMadeUp: true }), asking({}))).toEqual([live, '/tenders/', 1000])
})

/** How often it may be taken. */
function times(take: () => void): number {
  for (let count = 0; count < 200; count++)
    try {
      take()
    } catch (error) {
      expect(error).toBeInstanceOf(PageError)
      expect((error as PageError).status).toBe(429)
      return count
    }
  return Infinity
}

test('pages and files have limits for a person and an organization', () => {
  const limits = new StockLimits(worldOf({ hasAccess: true }).directory)
  const [anna, bert, stranger] = [
    asking({ person: 'anna', organizations: ['acme'] }),
    asking({ person: 'bert', organizations: ['acme'] }),
    asking(),
  ]
  const other = asking({ person: 'carl', organizations: ['beta'] })
  expect(times(() => limits.takePage(anna))).toBe(60)
  // the organization has used them up
  expect(times(() => limits.takePage(bert))).toBe(0)
  expect(times(() => limits.takePage(other))).toBe(60)
  expect(times(() => limits.takePage(stranger))).toBe(60)
  expect(times(() => limits.takePage({ ...anna, now: 1000 + 60_000 }))).toBe(60)
  // each letter has its own, in the network of a stranger and beside the pages of a person
  for (const letter of ['<1@example.org>', '<2@example.org>'])
    expect(times(() => limits.takeLetter(letter, stranger))).toBe(60)
  expect(times(() => limits.takeLetter('<1@example.org>', anna))).toBe(0)
  expect(times(() => limits.takeFile(anna))).toBe(20)
  expect(times(() => limits.takeFile({ ...anna, now: 1000 + 3_600_000 }))).toBe(0)
  expect(times(() => limits.takeFile({ ...anna, now: 1000 + 24 * 3_600_000 }))).toBe(20)
})
