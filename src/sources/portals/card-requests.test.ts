// What the cards ask for: when, with which requests, and on which hosts.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cron } from 'croner'
import { parse as parseCsv } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { epochMs, parseSourceDateTime } from '../../domain/time.ts'
import { ownWriters } from '../../simulator/portals/own-writers.ts'
import { fetchOf } from '../deliver/fetch-of.ts'
import { fillTemplate } from '../deliver/fill-template.ts'
import type { Delivery, Each, Template } from '../delivery.ts'
import { loadSources } from '../registry.ts'
import type { Channel, Source } from '../source.ts'

const sources = await loadSources()
const cards = [...sources.values()]
const channels = cards.flatMap((source) => source.channels.map((channel) => ({ source, channel })))
const named = channels.map(({ source, channel }) => [`${source.id} ${channel.name}`, source, channel] as const)

/** The delivery in data: of an own fetch what it wraps. */
function dataOf(delivery: Delivery): Exclude<Delivery, { kind: 'own' }> | undefined {
  return delivery.kind === 'own' ? delivery.like && dataOf(delivery.like) : delivery
}

function templatesOf(delivery: Delivery): Template[] {
  const data = dataOf(delivery)
  if (!data) return []
  const each = data.each === undefined ? [] : Array.isArray(data.each) ? data.each : [data.each]
  const lists = (each as readonly Each[]).flatMap((one) => ('list' in one ? [one.list] : []))
  const token = data.token ? [data.token.request] : []
  return data.kind === 'index'
    ? [data.index, ...lists, ...token]
    : [data.request, ...lists, ...token, ...(data.detail ? [data.detail.request] : [])]
}

const addressesOf = ({ delivery }: Channel): string[] => templatesOf(delivery).map(({ url }) => url)

const values = {
  ...Object.fromEntries(
    ['from', 'to', 'last', 'before'].map((name, index) => [name, Date.UTC(2026, 0, 1) + index * 86_400_000]),
  ),
  ...Object.fromEntries(['page', 'offset', 'limit'].map((name) => [name, 10])),
  ...Object.fromEntries(['cursor', 'key', 'token'].map((name) => [name, 'a/b'])),
  id: 'https://portal.example/a',
  id2: 'b',
}

function filled(template: Template, delivery: Delivery, zone: string) {
  const data = dataOf(delivery)!
  const each = data.each === undefined ? [] : Array.isArray(data.each) ? data.each : [data.each]
  const own = Object.fromEntries((each as readonly Each[]).map(({ name }) => [name, 'x1']))
  return fillTemplate(template, { ...values, ...own }, zone)
}

describe('the cards', () => {
  it.each(named)('%s: slots and timetable can be planned', (_, source, { slots, timetable }) => {
    if (timetable) expect(new Cron(timetable, { timezone: source.zone, paused: true }).nextRun()).not.toBeNull()
    if (slots.kind === 'feed' || slots.kind === 'whole') return
    expect(slots.since).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    const since = parseSourceDateTime(slots.since, 'UTC', 'start-of-day')
    expect(since && epochMs(since) < Date.now()).toBe(true)
    const days = slots.rereadDays ?? []
    expect(days).toEqual([...days].sort((a, b) => a - b))
    if (slots.kind === 'month' || slots.kind === 'year')
      expect(slots.since).toMatch(slots.kind === 'month' ? /-01$/ : /-01-01$/)
  })

  it.each(named)('%s: every placeholder is known, and the requests can be built', (_, source, { delivery }) => {
    expect(() => fetchOf(delivery)).not.toThrow()
    for (const template of templatesOf(delivery)) {
      const request = filled(template, delivery, source.zone)
      expect(request.url).not.toMatch(/[{}\n]/)
      expect(URL.canParse(request.url)).toBe(true)
      expect(request.body ?? '').not.toMatch(/\{[a-z]+[:}]/)
    }
  })

  it.each(cards.map((source) => [source.id, source] as const))('%s uses https, or says why not', (_, source) => {
    const addresses = source.channels.flatMap(addressesOf)
    const plain = addresses.filter((url) => url.startsWith('http:'))
    if (plain.length > 0) expect(source.caveats.join(' ')).toMatch(/\bhttp\b/)
    for (const url of addresses) expect(url).toMatch(/^(?:https?:\/\/|\{id\}$)/)
  })

  it('keep the pauses that their portals require', () => {
    const pace = (id: string): Source['politeness'] => sources.get(id)!.politeness
    // 12 requests in 120 seconds; a rest of five minutes after 403; one request a minute less than 60.
    expect(pace('gb-find-a-tender').requestsPerMinute).toBeLessThanOrEqual(6)
    expect(pace('gb-contracts-finder').restMs).toBe(300_000)
    expect(pace('do-dgcp').requestsPerMinute).toBeLessThan(60)
    expect(pace('ug-ppda').pauseMs).toBeGreaterThanOrEqual(2000)
    expect(pace('br-compras').requestsPerMinute).toBeLessThan(100)
  })

  it('compute their windows in the time zone of the portal', () => {
    const channel = sources.get('gb-find-a-tender')!.channels[0]
    const summer = { from: Date.UTC(2026, 6, 1, 5), to: Date.UTC(2026, 6, 1, 11) }
    const { url } = fillTemplate(templatesOf(channel.delivery)[0]!, summer, 'Europe/London')
    expect(new URL(url).searchParams.get('updatedFrom')).toBe('2026-07-01T06:00:00')
    expect(new URL(url).searchParams.get('updatedTo')).toBe('2026-07-01T12:00:00')
  })
})

describe('the page about adding a source', () => {
  const root = join(import.meta.dirname, '../../..')
  const page = readFileSync(join(root, 'docs/sources/adding-a-source.md'), 'utf8')

  it('shows an unchanged card of less than thirty lines', () => {
    const card = readFileSync(join(import.meta.dirname, 'za/national-treasury.ts'), 'utf8').trim()
    expect(page).toContain(`\`\`\`ts\n${card}\n\`\`\``)
    expect(card.split('\n').length).toBeLessThan(30)
  })
  it('names makers and files that exist', () => {
    const makers = readdirSync(join(root, 'src/sources/families'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, 'src/sources/families', name), 'utf8'))
      .join('\n')
    const named = [...page.matchAll(/^ {3}\| [^|]+ \| `(\w+)\(/gm)].map(([, name]) => name)
    expect(named).toHaveLength(10)
    for (const name of named) expect(makers).toContain(`export function ${name}(`)
    for (const [, link] of page.matchAll(/\]\((\.\.\/[^)]+)\)/g))
      expect(existsSync(join(root, 'docs/sources', link!))).toBe(true)
  })
})

const listed = join(import.meta.dirname, '../../../../shared/portals.csv')
if (!existsSync(listed)) console.log('skipped: no list of portals')

describe.skipIf(!existsSync(listed))('the list of known portals', () => {
  it('has no active OCDS publication without a card', () => {
    const rows = parseCsv(readFileSync(listed), { columns: true }) as { readonly [column: string]: string }[]
    const active = rows.filter((row) => row['status'] === 'active' && row['ocds_version'] !== 'n/a')
    expect(active).toHaveLength(84)
    const hosts = new Map<string, Set<string>>()
    for (const source of cards.filter(({ id }) => !ownWriters[id])) {
      const urls = [...source.channels.flatMap(addressesOf), source.homepage]
      const own = hosts.get(source.country) ?? new Set()
      for (const url of urls) if (URL.canParse(url)) own.add(new URL(url).host.replace(/^www\./, ''))
      hosts.set(source.country, own)
    }
    const without = active.filter(
      (row) =>
        !hosts.get(row['country']!)?.has(new URL(row['base_url']!.replace(/\{.*/, '')).host.replace(/^www\./, '')),
    )
    expect(without.map((row) => row['id'])).toEqual([])
  })
})
