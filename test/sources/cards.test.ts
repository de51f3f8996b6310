// Every source's card is complete and consistent. One test covers all of them, so a new card must pass it too.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isSpan, nextTime } from '../../src/ingest/plan-slots.ts'
import { dayStart } from '../../src/ingest/slot-spans.ts'
import { evidenceOf, ownerOf } from '../../src/sources/card-cells.ts'
import { fetchOf } from '../../src/sources/deliver/fetch-of.ts'
import { recordedAnswers } from '../../src/sources/recorded-answers.ts'
import { countCountries, loadSources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'

const sources = await loadSources()
const all = [...sources.values()]

/** ISO 3166-1 alpha-2 as Node knows it, and the three others that cards may use. */
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const isCountry = (code: string) => /^[A-Z]{2}$/.test(code) && regions.of(code) !== undefined

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

const isAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** A real answer was read, or programs of two owners read the same interface. */
const isWitnessed = ({ id, recordings = [], clients = [] }: Source) =>
  recordedAnswers.has(id) || recordings.length > 0 || new Set(clients.map(ownerOf)).size >= 2

function faultsOf(source: Source): string[] {
  const faults: string[] = []
  const check = (holds: boolean, fault: string) => void (holds || faults.push(fault))
  check(/^[a-z]{2}-[a-z0-9]+(?:-[a-z0-9]+)*$|^(?:ted|doe)$/.test(source.id), `its id ${source.id}`)
  check(source.title.trim() !== '' && source.publisher.trim() !== '', 'its title or publisher is empty')
  check(isCountry(source.country), `${source.country} is no country`)
  check(isAddress(source.homepage), 'its homepage is no address')
  check(source.documentation === undefined || isAddress(source.documentation), 'its documentation is no address')
  check(
    [...(source.clients ?? []), ...(source.recordings ?? [])].every((file) =>
      /^https:\/\/github\.com\/[^/]+\/[^/]+\/blob\/[^/]+\/.+/.test(file),
    ),
    'a client or a recording is no address of a file in a public repository',
  )
  const owners = (source.clients ?? []).map(ownerOf)
  check(new Set(owners).size === owners.length, 'two clients of one owner')
  check(source.unnamedClients === undefined || source.unnamedClients > 0, 'the number of its unnamed clients')
  check(
    source.offBecause !== undefined || isWitnessed(source),
    'it runs by itself, without a recorded answer and without two public programs',
  )
  check(source.license.name.trim() !== '', 'it names no license, not even "not stated"')
  check(source.license.url === undefined || isAddress(source.license.url), "its license's url is no address")
  check(isZone(source.zone), `${source.zone} is no zone`)
  const { expects, access, politeness } = source
  check(expects.shape.length > 0, 'it says nothing about the shape of an answer')
  check(expects.silentAfterDays > 0 && expects.silentAfterDays <= 800, 'when it counts as silent')
  check(
    !expects.perDay || (expects.perDay[0] >= 0 && expects.perDay[0] < expects.perDay[1]),
    'how much it brings a day',
  )
  check(
    source.caveats.length > 0 && source.caveats.every((caveat) => /^\S.{10,}\.$/s.test(caveat)),
    'a caveat is no sentence, or there is none',
  )
  check(access.kind === 'open' || (/^[A-Z][A-Z0-9_]+$/.test(access.setting) && isAddress(access.getItAt)), 'its key')
  check((politeness.requestsPerMinute ?? 60) > 0 && (politeness.requestsPerMinute ?? 60) <= 6000, 'its rate')
  check(
    politeness.robots === undefined || politeness.robots === 'obey' || politeness.robots.exempt.length > 20,
    'the reason why robots.txt does not bind it',
  )
  check(
    politeness.userAgent === undefined || /Tenderstock.*\{contact\}/.test(politeness.userAgent),
    'its user agent lacks our name or the contact',
  )
  const names = source.channels.map(({ name }) => name)
  check(new Set(names).size === names.length, 'two channels of one name')
  check(
    source.offBecause !== undefined || source.channels.some(({ role = 'current' }) => role === 'current'),
    'no channel is current',
  )
  for (const channel of source.channels) {
    const { slots, delivery } = channel
    if (isSpan(slots)) {
      check(
        /^\d{4}-\d{2}-\d{2}$/.test(slots.since) && dayStart(slots.since, source.zone) > 0,
        `since of ${channel.name}`,
      )
      check(slots.kind !== 'hours' || (slots.hours ?? 1) > 0, `hours of ${channel.name}`)
      check(slots.kind !== 'hours' || 24 % (slots.hours ?? 1) === 0, `hours of ${channel.name} do not divide a day`)
      check(
        (slots.rereadDays ?? []).every((days) => days > 0),
        `rereadDays of ${channel.name}`,
      )
    }
    try {
      const now = Date.UTC(2026, 10, 18)
      check(nextTime(source, channel, now) <= now + 8 * 86_400_000, `${channel.name} is read less than once a week`)
      fetchOf(delivery)
    } catch (error) {
      faults.push(`${channel.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return faults
}

describe('the cards of the sources', () => {
  test('are at least 120 portals in at least 40 countries, besides TED and the federal portal', () => {
    const portals = all.filter(({ id }) => id !== 'ted' && id !== 'doe')
    const countries = countCountries(portals)
    console.log(`sources: ${portals.length} portals in ${countries} countries`)
    expect(sources.has('ted') && sources.has('doe')).toBe(true)
    expect(portals.length).toBeGreaterThanOrEqual(120)
    expect(countries).toBeGreaterThanOrEqual(40)
  })

  test('cover every member of the EU and the EEA, or the page of sources says why not', () => {
    const members = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
      ' ',
    )
    const covered = new Set(all.map(({ country }) => country))
    const page = readFileSync('docs/sources/README.md', 'utf8')
    const reasons = page.slice(page.indexOf('## Without a national source'))
    const lacking = members.filter((code) => !covered.has(code))
    expect(lacking).toEqual(['IS', 'SE', 'SK'])
    expect(lacking.filter((code) => !reasons.includes(`**${regions.of(code)}.**`))).toEqual([])
    // its robots.txt allows one portal of Sweden: why there is no card is a decision
    expect(reasons).toContain('55](../decisions/README.md)')
  })

  test('say what they stand on: recordings, clients by owner, clients without an address, documentation', () => {
    const card = all.find(({ id }) => id === 'md-mtender')!
    const client = 'https://github.com/someone/reader/blob/main/portal.py'
    expect(evidenceOf({ ...card, clients: [client], unnamedClients: 2, documentation: 'https://portal.example' })).toBe(
      `clients [someone](${client}), 2 unnamed; [documentation](https://portal.example)`,
    )
    const { clients: _clients, documentation: _documentation, ...bare } = card
    const recording = 'https://github.com/someone/portal/blob/main/answer.json'
    expect(evidenceOf({ ...bare, recordings: [recording] })).toBe(`recording [someone](${recording})`)
    expect(evidenceOf({ ...bare, unnamedClients: 1 })).toBe('client 1 unnamed')
    expect(evidenceOf(bare)).toBe('none on record')
    expect(evidenceOf({ ...bare, id: 'ted' })).toBe('recorded answers')
  })

  test('name the country in their ID', () => {
    const strangers = all.filter(({ id, country }) => id.includes('-') && !id.startsWith(`${country.toLowerCase()}-`))
    expect(strangers.map(({ id }) => id)).toEqual([])
  })

  test.each(all.map((source) => [source.id, source] as const))('%s is complete and usable', (_, source) => {
    expect(faultsOf(source)).toEqual([])
  })
})
