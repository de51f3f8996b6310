// What programs read: JSON lines in which every time is an ISO 8601 instant, and no other number is one.
import { expect, test } from 'vitest'
import type { CommandEvent } from '../service/events/command-event.ts'
import { openReporter } from './reporter.ts'

const at = Date.UTC(2026, 10, 24, 1, 2, 3, 4)
const instant = '2026-11-24T01:02:03.004Z'

function printed(event: CommandEvent): unknown {
  const lines: string[] = []
  const out = { write: (text: string) => void lines.push(text), isTerminal: false, hasColors: false }
  openReporter({ json: true, out, err: out, clock: () => at }).emit(event)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^\{.*\}\n$/)
  return JSON.parse(lines[0]!)
}

test.each<[CommandEvent, object]>([
  [{ event: 'tooEarly', allowedAt: at }, { allowedAt: instant }],
  [{ event: 'consoleLink', link: 'https://x', mail: null, until: at }, { until: instant }],
  [
    {
      event: 'token',
      tokenId: 't',
      organizationId: 'o',
      name: 'crm',
      hint: 'h',
      createdAt: at,
      isExpired: false,
      expiresAt: at,
      revokedAt: null,
      lastUsedAt: at,
      createdBy: null,
      lastUsedFrom: null,
      lastUsedAgent: null,
    },
    { createdAt: instant, expiresAt: instant, lastUsedAt: instant },
  ],
  [
    {
      event: 'published',
      edition: 1,
      lastModified: at,
      publishedAt: at,
      records: 3,
      changes: 3,
      overridden: [],
      changedRules: [],
      warnings: [],
    },
    { lastModified: instant, publishedAt: instant, records: 3 },
  ],
  [{ event: 'clockDiffers', differenceMs: 200_000_000_000, message: 'm' }, { differenceMs: 200_000_000_000 }],
  [{ event: 'organizationEnded', organizationId: 'o', name: 'Acme', hadContract: true }, { name: 'Acme' }],
])('%j', (event, facts) => {
  expect(printed(event)).toMatchObject({ event: event.event, time: instant, ...facts })
})

test('times keep their positions within lists and members', () => {
  const held = [{ heldAt: at, reasons: [] }]
  const event = { event: 'status', lastRoundAt: null, holds: held, sources: { ted: { checkedAt: at, documents: 7 } } }
  expect(printed(event as unknown as CommandEvent)).toMatchObject({
    lastRoundAt: null,
    holds: [{ heldAt: instant }],
    sources: { ted: { checkedAt: instant, documents: 7 } },
  })
})
