// Writes the tables of docs/sources/README.md and docs/licenses.md from the cards. Run by `npm run generate`.
import { readFileSync, writeFileSync } from 'node:fs'
import { requiredAttribution } from '../sources/attribution.ts'
import { byCountry, cell, countryName, evidenceOf, licenseOf } from '../sources/card-cells.ts'
import { countCountries, loadSources, type Sources } from '../sources/registry.ts'
import type { Source } from '../sources/source.ts'

export const sourcesPage = new URL('../../docs/sources/README.md', import.meta.url)
export const licensesPage = new URL('../../docs/licenses.md', import.meta.url)

const [begin, end] = ['<!-- generated: begin -->', '<!-- generated: end -->']

/** Returns the page of sources with the content between its marks replaced. Throws if it has no marks. */
export const withSourceTable = (page: string, sources: Sources): string => withTable(page, sourceTable(sources))

/** Returns the page of licenses with the content between its marks replaced. Throws if it has no marks. */
export const withLicenseTable = (page: string, sources: Sources): string => withTable(page, licenseTable(sources))

/** Returns the page with the content between its marks replaced. Throws if it has no marks. */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page lacks ${begin} or ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** What a customer shows for the sources of each license, and from when each is read; a list of those without one. */
function licenseTable(sources: Sources): string {
  const all = byCountry(sources.values())
  const isUnknown = (source: Source): boolean => licenseOf(source) === 'not stated' && attributionOf(source) === 'ask'
  const [unknown, known] = [all.filter(isUnknown), all.filter((source) => !isUnknown(source))]
  const licenses = Map.groupBy(known, (source) => rowOf([licenseOf(source), attributionOf(source)]))
  return [
    '| License | Show | Sources, and from when they are read |',
    '|---|---|---|',
    ...[...licenses.values()].map((group) =>
      rowOf([licenseOf(group[0]!), attributionOf(group[0]!), group.map(withArchive).join(', ')]),
    ),
    '',
    'These portals state no license: ask the publisher.',
    '',
    ...[...Map.groupBy(unknown, archiveOf)]
      .sort(([left], [right]) => left.localeCompare(right))
      .map(([archive, group]) => `- ${archive}: ${group.map(({ id }) => `\`${id}\``).join(', ')}`),
  ].join('\n')
}

const withArchive = (source: Source): string => `\`${source.id}\` (${archiveOf(source).replace('from ', '')})`

/** Returns the content of the column *Show*. */
function attributionOf(source: Source): string {
  const { license } = source
  const attribution = requiredAttribution(source)
  if (attribution === undefined) return 'ask'
  if (attribution === null) return 'nothing'
  return license.attribution === undefined ? `“${cell(attribution)}”, and the license` : `“${cell(attribution)}”`
}

/** From when a source is read, by its channels. */
function archiveOf({ channels }: Source): string {
  const slots = channels.filter(({ role }) => role !== 'control').map((channel) => channel.slots)
  const since = slots.flatMap((each) => ('since' in each ? [each.since] : [])).sort()[0]
  if (since !== undefined) return `from ${since}`
  return slots.some(({ kind }) => kind === 'feed') ? 'its feed' : 'listed'
}

/** Counts, and a list by country: the portal, its key or why it is off, and the evidence for its card. */
function sourceTable(sources: Sources): string {
  const all = [...sources.values()]
  const keyed = all.filter(({ access }) => access.kind === 'key')
  const off = all.filter(({ offBecause }) => offBecause !== undefined)
  return [
    `**${all.length} sources in ${countCountries(all)} countries**, plus the European Union and international bodies. ` +
      `${all.length - new Set([...keyed, ...off]).size} need no setup, ${keyed.length} need a key, ${off.length} run only when they are named.`,
    '',
    ...byCountry(sources.values()).map((source) => {
      const portal = `${countryName(source.country)} \`${source.id}\` [${cell(source.title)}](${source.homepage})`
      return `- ${[portal, ...conditionsOf(source), evidenceOf(source)].join('; ')}`
    }),
  ].join('\n')
}

const conditionsOf = ({ access, offBecause }: Source): string[] => [
  ...(access.kind === 'key' ? [`key \`TENDERSTOCK_${access.setting}\``] : []),
  ...(offBecause === undefined ? [] : [`off: ${cell(offBecause)}`]),
]

if (process.argv[1] === import.meta.filename) {
  const sources = await loadSources()
  writeFileSync(sourcesPage, withSourceTable(readFileSync(sourcesPage, 'utf8'), sources))
  writeFileSync(licensesPage, withLicenseTable(readFileSync(licensesPage, 'utf8'), sources))
  console.log('docs/sources/README.md and docs/licenses.md written')
}
