// Writes the table of docs/sources/README.md from the cards. Run by `npm run generate`.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Delivery } from '../sources/delivery.ts'
import { countCountries, loadSources, type Sources } from '../sources/registry.ts'
import type { Channel, Source } from '../sources/source.ts'

export const sourcesPage = new URL('../../docs/sources/README.md', import.meta.url)

const [begin, end] = ['<!-- cards: begin -->', '<!-- cards: end -->']

/** The page with the content between its marks replaced. Throws if it has no marks. */
export function withSourceTable(page: string, sources: Sources): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/sources/README.md lacks ${begin} or ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${sourceTable(sources)}\n\n${page.slice(to)}`
}

/** Counts, a table by country, and what keeps sources off. */
function sourceTable(sources: Sources): string {
  const all = [...sources.values()]
  const named = new Intl.DisplayNames('en', { type: 'region' })
  const nameOf = (code: string): string =>
    code === 'ZZ' ? 'international bodies' : code === 'EU' ? 'European Union' : (named.of(code) ?? code)
  const keyed = all.filter(({ access }) => access.kind === 'key')
  const off = all.filter(({ offBecause }) => offBecause !== undefined)
  const sorted = [...all].sort((a, b) => compare(nameOf(a.country), nameOf(b.country)) || compare(a.id, b.id))
  return [
    `**${all.length} sources in ${countCountries(all)} countries**, plus the European Union and international bodies. ` +
      `${all.length - new Set([...keyed, ...off]).size} need no setup, ${keyed.length} need a key, ${off.length} run only when they are named.`,
    '',
    '| Country | Source | Portal | Delivers | Access | License |',
    '|---|---|---|---|---|---|',
    ...sorted.map(
      (source) =>
        `| ${[nameOf(source.country), `\`${source.id}\``, `[${cell(source.title)}](${source.homepage}), ${cell(source.publisher)}`, deliveries(source), accessOf(source), licenceOf(source)].join(' | ')} |`,
    ),
  ].join('\n')
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What would end a cell, or the table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

function accessOf({ access, offBecause }: Source): string {
  const parts = [
    ...(access.kind === 'key' ? [`key \`TENDERSTOCK_${access.setting}\` from ${cell(access.getItAt)}`] : []),
    ...(offBecause === undefined ? [] : [`off: ${cell(offBecause)}`]),
  ]
  return parts.length === 0 ? 'open' : parts.join('; ')
}

function licenceOf({ license: { name, url } }: Source): string {
  return url === undefined ? cell(name) : `[${cell(name)}](${url})`
}

function deliveries({ channels }: Source): string {
  return [...new Set(channels.map(deliveryOf))].join('; ')
}

const ways: { readonly [kind in Delivery['kind']]: string } = {
  single: 'one answer',
  'link-next': 'linked pages',
  page: 'numbered pages',
  offset: 'offsets',
  cursor: 'cursor',
  keyset: 'keyset',
  index: 'index of files',
  own: 'its own protocol',
}

function deliveryOf({ delivery, slots }: Channel): string {
  const told = delivery.kind === 'own' ? (delivery.like ?? delivery) : delivery
  const format = 'entries' in told && told.kind !== 'index' ? ` of ${told.entries.format}` : ''
  const detail = 'detail' in told && told.detail ? ', notices one by one' : ''
  const by =
    slots.kind === 'whole'
      ? 'read whole'
      : slots.kind === 'feed'
        ? 'as a feed'
        : slots.kind === 'hours'
          ? 'by hours'
          : `by ${slots.kind}`
  return `${ways[delivery.kind]}${format} ${by}${detail}`
}

if (process.argv[1] === import.meta.filename) {
  const page = readFileSync(sourcesPage, 'utf8')
  writeFileSync(sourcesPage, withSourceTable(page, await loadSources()))
  console.log('docs/sources/README.md written')
}
