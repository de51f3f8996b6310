// Marks that distinguish the parts of one project: lots, phases, trades by number, trailing ordinals.
import { foldText } from '../../domain/name-words.ts'
import type { Discriminators } from './match-record.ts'
import { readCharacters } from './thresholds.ts'

// A letter has a gap before it: `Lose`, `Gewerke`, `Etapa` and `Bad` are words, not `Los E` or `BA D`.
const letter = '(?<![\\p{L}\\p{N}])(?:[ivx]{1,4}|[a-h])'
const value = `(\\d{1,4}(?:\\s?[.,/-]\\s?\\d{1,3}){0,2}\\s?[a-h]?|${letter})(?![\\p{L}\\p{N}])`
const number = '(?:nr|nummer|no|num|n|number|numero)?[.:°º]*\\s*'
const before = '(?<![\\p{L}\\p{N}])'
// Written folded: ß as ss, umlauts without their e, no diacritics.
const lotNames =
  'los|lose|fachlos|teillos|lot|lots|lote|lotes|lotto|lotti|partij|perceel|percelen|czesc|czesci|zadanie|pakiet|' +
  'cast|osa|sklop|lotul|dalis|dala|delaftale|delkontrakt|grupa|reszajanlat|losnr|vergabeeinheit|vergabelos|' +
  'gewerkelos|regionallos|gebietslos'
const phaseNames =
  'ba|bauabschnitt|abschnitt|bauteil|teil|teilprojekt|phase|tranche|etappe|stufe|part|fase|etap|faza|osio'
const tradeNames = 'lv|ve|gewerk|kg|lph|vp|vergabepaket|paket|tl|titel|kostengruppe'

/** The first letter is tried before what may stand in front of it, which is slow to look at. */
function marked(names: string): RegExp {
  const letters = [...new Set(names.split('|').map((name) => name[0]))].join('')
  return new RegExp(`(?=[${letters}])${before}(?:${names})[\\s.:_-]*${number}${value}`, 'gu')
}

const patterns: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['lot', marked(lotNames)],
  ['phase', marked(phaseNames)],
  [
    'phase',
    new RegExp(`(?=[\\divx])${before}(\\d{1,2}|[ivx]{1,4}(?=[.\\s]))\\.?\\s?(?:${phaseNames})(?![\\p{L}])`, 'gu'),
  ],
  ['trade', marked(tradeNames)],
]
const roman: { readonly [text: string]: string } = {
  i: '1',
  ii: '2',
  iii: '3',
  iv: '4',
  v: '5',
  vi: '6',
  vii: '7',
  viii: '8',
  ix: '9',
  x: '10',
  xi: '11',
  xii: '12',
}

function cleanValue(text: string): string {
  const plain = text.replace(/\s/g, '').replace(/[,/-]/g, '.')
  return roman[plain] ?? plain.replace(/(^|\.)0+(?=\d)/g, '$1')
}

/** A number that ends a title: `(2)`, `_1`, `#3`, ` II`; years and quantities with a unit do not count. */
function trailingOrdinal(folded: string): { readonly value: string; readonly end: number } | undefined {
  const match = /(?:[\s_#(/-]|nr\.?\s?)(\d{1,3}|i{1,3}|iv|vi{0,3}|ix)\)?\s*[.)]?\s*$/u.exec(folded)
  if (!match) return undefined
  return { value: cleanValue(match[1]!), end: match.index + match[0].lastIndexOf(match[1]!) + match[1]!.length }
}

/** All marks of a title; of the beginning of the description (260 characters) where the title has none. */
export function discriminatorsOf(
  title: string,
  description: string,
): { readonly discriminators: Discriminators; readonly isInTitle: boolean } {
  const folded = foldText(title)
  const marks = marksOf(folded)
  const ordinal = trailingOrdinal(folded)
  // `Los 2` at the end is the lot; `TL3-III` has its own number after its mark.
  const ofTitle = ordinal && !marks.ends.has(ordinal.end) ? { ...marks.values, ordinal: [ordinal.value] } : marks.values
  if (Object.keys(ofTitle).length > 0) return { discriminators: ofTitle, isInTitle: true }
  return { discriminators: marksOf(foldText(description.slice(0, 260))).values, isInTitle: false }
}

/** The marks at any position of a description: forms name the lot after the authority, the procedure and the place. */
export function partsOf(description: string): Discriminators {
  return marksOf(foldText(description.slice(0, readCharacters))).values
}

/** `ends`: where the values of the marks end in the text. */
function marksOf(folded: string): {
  readonly values: { readonly [type: string]: readonly string[] }
  readonly ends: ReadonlySet<number>
} {
  const values: { [type: string]: readonly string[] } = {}
  const ends = new Set<number>()
  for (const [type, pattern] of patterns) {
    // `matchAll` would copy the pattern for each text
    const found: RegExpExecArray[] = []
    pattern.lastIndex = 0
    for (let match = pattern.exec(folded); match; match = pattern.exec(folded)) found.push(match)
    for (const match of found) ends.add(match.index + match[0].trimEnd().length)
    if (found.length > 0)
      values[type] = [...new Set([...(values[type] ?? []), ...found.map((match) => cleanValue(match[1]!))])]
        .sort()
        .slice(0, 12)
  }
  return { values, ends }
}
