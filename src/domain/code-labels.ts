// Names of the codes of CPV and NUTS in English and German, and the trees that the codes spell. They are read on first
// use. The names are those of the Publications Office (authority tables "cpv" and "nuts"), except for two that its
// table has mixed up: 33952000 in English and 34000000 in German. Facts about countries come from Intl, names of
// regions that other languages have from region-names.ts.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { toCpvCode } from './cpv.ts'
import { toNutsCode } from './nuts.ts'
import { regionNames } from './region-names.ts'

export const codeKinds = ['cpv', 'nuts'] as const
export type CodeKind = (typeof codeKinds)[number]
/** Languages in which codes have names. Most regions have one name, in a language of their country. */
export type LabelLanguage = 'en' | 'de'

type Entry = {
  readonly code: string
  readonly parent: string | undefined
  readonly children: string[]
  readonly en: string
  readonly de: string
  /** Each name without marks, in lower case, with a space before and after every word. */
  readonly folded: readonly string[]
}

type Tree = { readonly entries: ReadonlyMap<string, Entry>; readonly roots: readonly string[] }

const trees = new Map<CodeKind, Tree>()

/** The significant part: `45233` of 45233000, at least two digits; a NUTS code unchanged. */
const shortCode = (kind: CodeKind, code: string): string =>
  kind === 'nuts' ? code : code.slice(0, Math.max(2, code.replace(/0+$/, '').length))

/**
 * The code as written by people, in the form of the list; undefined if it does not look like one. It need not be
 * listed.
 */
export const toCode = (kind: CodeKind, text: string): string | undefined =>
  kind === 'cpv' ? toCpvCode(text) : toNutsCode(text)

/** Its name; undefined for a code that is not listed. */
export const codeLabel = (kind: CodeKind, code: string, language: LabelLanguage): string | undefined =>
  treeOf(kind).entries.get(code)?.[language]

/** The listed codes directly below a code, in their order; those of the top without one. */
export const codesBelow = (kind: CodeKind, code?: string): readonly string[] =>
  code === undefined ? treeOf(kind).roots : (treeOf(kind).entries.get(code)?.children ?? [])

/** The listed codes above a code, the highest first. */
export function codesAbove(kind: CodeKind, code: string): string[] {
  const above: string[] = []
  const { entries } = treeOf(kind)
  for (let parent = entries.get(code)?.parent; parent !== undefined; parent = entries.get(parent)?.parent)
    above.unshift(parent)
  return above
}

/**
 * Finds codes for typed text: a code or its beginning, or words of a name in either language, each of which may be a
 * part of a word. Best first: whole words before beginnings before parts, then the higher code.
 */
export function findCodes(kind: CodeKind, text: string, limit: number): string[] {
  const { entries } = treeOf(kind)
  const typed = text.trim()
  const code = /^[\d-]+$/.test(typed) ? typed.replace(/-\d?$/, '') : kind === 'nuts' ? typed.toUpperCase() : ''
  const begun = code.length >= 2 ? startingWith(kind, entries, code) : []
  const words = wordsOf(typed)
  const named = words.length === 0 || /^\d+$/.test(typed) ? [] : bestNamed(entries, words)
  return [...new Set([...begun, ...named])].slice(0, limit)
}

let calls: { readonly notices: number; readonly byDigits: ReadonlyMap<string, number> } | undefined

/** Counted in a corpus of real notices of many countries and years (quality/count-calls.ts). */
function readCalls() {
  if (calls) return calls
  const lines = readFileSync(new URL('./data/cpv-calls.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const pairs = lines.slice(1).map((line) => line.split(' ') as [digits: string, count: string])
  calls = { notices: Number(lines[0]), byDigits: new Map(pairs.map(([digits, count]) => [digits, Number(count)])) }
  return calls
}

/** How many of the counted notices ask for a code of CPV or for one below it. */
export const callsForCode = (code: string): number => readCalls().byDigits.get(shortCode('cpv', code)) ?? 0
export const countedCalls = (): number => readCalls().notices

/** Every listed code with its names, each without marks, in lower case, with a space before and after every word. */
export const foldedNames = (kind: CodeKind): Iterable<{ readonly code: string; readonly folded: readonly string[] }> =>
  treeOf(kind).entries.values()

/** The listed codes with exactly this name, in any language that has one for them; in their order. */
export function codesCalled(kind: CodeKind, text: string): string[] {
  const name = foldName(text)
  if (name.trim() === '') return []
  return [...treeOf(kind).entries.values()].filter(({ folded }) => folded.includes(name)).map(({ code }) => code)
}

function startingWith(kind: CodeKind, entries: ReadonlyMap<string, Entry>, beginning: string): string[] {
  return [...entries.keys()]
    .filter((code) => code.startsWith(beginning) && shortCode(kind, code).length >= beginning.replace(/0+$/, '').length)
    .sort((left, right) => shortCode(kind, left).length - shortCode(kind, right).length || (left < right ? -1 : 1))
}

function bestNamed(entries: ReadonlyMap<string, Entry>, asked: readonly string[]): string[] {
  const found: { readonly code: string; readonly points: number }[] = []
  for (const { code, folded } of entries.values()) {
    const points = Math.max(...folded.map((name) => pointsOf(name, asked)))
    if (points > 0) found.push({ code, points })
  }
  return found
    .sort((left, right) => right.points - left.points || (left.code < right.code ? -1 : 1))
    .map(({ code }) => code)
}

/** 0 if a word is missing. A shorter name matches the typed text better. */
function pointsOf(name: string, asked: readonly string[]): number {
  let points = 0
  for (const word of asked) {
    if (!name.includes(word)) return 0
    if (name.includes(` ${word} `)) points += 4
    else if (name.includes(` ${word}`)) points += 3
    else if (word.length >= 3) points += 1
    else return 0
  }
  return points * 1000 - Math.min(999, name.length)
}

const foldName = (name: string): string => ` ${wordsOf(name).join(' ')} `

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .match(/[\p{L}\p{N}]+/gu) ?? []

function treeOf(kind: CodeKind): Tree {
  const known = trees.get(kind)
  if (known) return known
  const tree = plant(kind, readNames(kind))
  trees.set(kind, tree)
  return tree
}

/** `own`: the name of a region in its country. */
type Named = readonly [code: string, en: string, de: string, own?: string]

function readNames(kind: CodeKind): Named[] {
  const packed = readFileSync(new URL(`./data/${kind}-labels.tsv.gz`, import.meta.url))
  const rows = gunzipSync(packed).toString('utf8').trimEnd().split('\n')
  return rows.map((row): Named => {
    const [code = '', en = '', de = en] = row.split('\t')
    if (kind === 'cpv') return [code, en, de]
    if (code.length === 2) return [code, countryName(code, 'en', en), countryName(code, 'de', en), en]
    const [english = en, german = en] = regionNames[code] ?? []
    return [code, english, german, en]
  })
}

/** Countries whose NUTS letters differ from ISO 3166. */
const isoCountries: { readonly [nutsCountry: string]: string } = { EL: 'GR', UK: 'GB' }

function countryName(code: string, language: LabelLanguage, ownName: string): string {
  const name = new Intl.DisplayNames(language, { type: 'region' }).of(isoCountries[code] ?? code)
  return name === undefined || name === ownName ? ownName : name
}

/** `rows`: sorted by code, so that a covering code precedes it. */
function plant(kind: CodeKind, rows: readonly Named[]): Tree {
  const entries = new Map<string, Entry>()
  const roots: string[] = []
  for (const [code, en, de, own = en] of rows) {
    const parent = parentOf(kind, code, entries)
    entries.set(code, {
      code,
      parent,
      children: [],
      en,
      de,
      folded: [...new Set([en, de, own])].map(foldName),
    })
    if (parent === undefined) roots.push(code)
    else entries.get(parent)!.children.push(code)
  }
  return { entries, roots }
}

/** The nearest listed code that covers it with its digits: what a filter on the parent finds holds all below it. */
function parentOf(kind: CodeKind, code: string, entries: ReadonlyMap<string, Entry>): string | undefined {
  for (let digits = shortCode(kind, code).slice(0, -1); digits.length >= 2; digits = digits.slice(0, -1)) {
    const above = kind === 'cpv' ? digits.padEnd(8, '0') : digits
    if (above !== code && entries.has(above)) return above
  }
  return undefined
}
