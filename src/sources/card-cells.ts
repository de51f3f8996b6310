// What a table of sources says of a card, as Markdown.
import { recordedAnswers } from './recorded-answers.ts'
import type { Source } from './source.ts'

const regions = new Intl.DisplayNames('en', { type: 'region' })

/** English name of the country of a card, or of what takes its place. */
export const countryName = (code: string): string =>
  code === 'ZZ' ? 'international bodies' : code === 'EU' ? 'European Union' : (regions.of(code) ?? code)

/** By country, then by id. */
export const byCountry = (sources: Iterable<Source>): Source[] =>
  [...sources].sort((a, b) => compare(countryName(a.country), countryName(b.country)) || compare(a.id, b.id))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Escapes what would end a cell or the table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

/** The evidence for the card, the strongest first. */
export function evidenceOf({ id, recordings = [], clients = [], unnamedClients = 0, documentation }: Source): string {
  const found = [
    ...(recordedAnswers.has(id) ? ['recorded answers'] : []),
    ...kindOf('recording', recordings.map(linkedOwner)),
    ...kindOf('client', [...clients.map(linkedOwner), ...(unnamedClients > 0 ? [`${unnamedClients} unnamed`] : [])]),
    ...(documentation === undefined ? [] : [`[documentation](${documentation})`]),
  ]
  return found.length === 0 ? 'none on record' : found.join('; ')
}

const kindOf = (kind: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`${items.length === 1 ? kind : `${kind}s`} ${items.join(', ')}`]

const linkedOwner = (address: string): string => `[${ownerOf(address)}](${address})`

/** Who publishes the file at an address of `Source.clients` or `recordings`. */
export const ownerOf = (address: string): string => new URL(address).pathname.split('/')[1] ?? ''

/** Name of the license, with its address if it has one. */
export function licenseOf({ license: { name, url } }: Source): string {
  return url === undefined ? cell(name) : `[${cell(name)}](${url})`
}
