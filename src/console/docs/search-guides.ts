// Search in the documentation: an index of all sections, built on the first search.
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import type { GroupName } from './guide-groups.ts'
import type { DocPage, Handbook } from './handbook.ts'
import type { Heading } from './render-guide.ts'

/** A piece of a result; hits are searched words. */
type Piece = { readonly text: string; readonly isHit: boolean }

export type FoundSection = {
  readonly doc: DocPage
  /** Undefined: the beginning of the page. */
  readonly heading: Heading | undefined
  readonly marked: readonly Piece[]
}

/** A section of a page made by code, for the search. */
export type CodeSection = { readonly address: string; readonly heading: Heading | undefined; readonly text: string }

type Section = {
  readonly id: number
  readonly doc: DocPage
  readonly heading: Heading | undefined
  readonly title: string
  readonly headingText: string
  readonly text: string
}

const maxResults = 30
const longestWaitMs = 1000
/** Characters of a text around its first hit. */
const shownBefore = 60
const shownCharacters = 220

export class SearchGuides {
  readonly #handbook: Handbook
  readonly #codeSections: () => readonly CodeSection[]
  #index: Promise<{ readonly mini: MiniSearch<Section>; readonly sections: readonly Section[] }> | undefined

  constructor(handbook: Handbook, codeSections: () => readonly CodeSection[]) {
    this.#handbook = handbook
    this.#codeSections = codeSections
  }

  /**
   * Returns the best sections of some groups for some words, best first; undefined if the index is still being built
   * after a second.
   */
  async find(words: string, groups: readonly GroupName[]): Promise<FoundSection[] | undefined> {
    this.#index ??= this.#make()
    const made = await Promise.race([this.#index, pause(longestWaitMs, undefined, { ref: false })])
    if (!made) return undefined
    const { mini, sections } = made
    return mini
      .search(words, { filter: ({ id }) => groups.includes(sections[id as number]!.doc.group) })
      .slice(0, maxResults)
      .map(({ id, terms }) => {
        const { doc, heading, text } = sections[id as number]!
        return { doc, heading, marked: markedText(text, terms) }
      })
  }

  /** Page by page, so that nothing waits for all of them. */
  async #make() {
    const sections: Section[] = []
    const mini = new MiniSearch<Section>({
      fields: ['title', 'headingText', 'text'],
      searchOptions: {
        boost: { title: 3, headingText: 2 },
        prefix: (term) => term.length > 2,
        fuzzy: (term) => (term.length > 5 ? 0.2 : false),
        combineWith: 'AND',
      },
    })
    const add = (doc: DocPage, heading: Heading | undefined, text: string) => {
      const section = { id: sections.length, doc, heading, title: doc.title, headingText: heading?.text ?? '', text }
      sections.push(section)
      mini.add(section)
    }
    for (const doc of this.#handbook.pages) {
      if (doc.file === undefined) continue
      for (const { heading, text } of this.#handbook.guide(doc.file).sections) add(doc, heading, text.trim())
      await turn()
    }
    for (const { address, heading, text } of this.#codeSections()) {
      const doc = this.#handbook.page(address)
      if (doc) add(doc, heading, text)
    }
    return { mini, sections }
  }
}

/** A piece of a text around its first hit, cut at words. */
function markedText(text: string, terms: readonly string[]): Piece[] {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  const first = text.search(pattern)
  const from = first <= shownBefore ? 0 : text.lastIndexOf(' ', first - shownBefore) + 1
  const cut = text.slice(from, from + shownCharacters)
  const end = from + shownCharacters >= text.length ? cut.length : Math.max(cut.lastIndexOf(' '), 1)
  const shown = cut.slice(0, end)
  const pieces: Piece[] = from > 0 ? [{ text: '… ', isHit: false }] : []
  let at = 0
  for (const match of shown.matchAll(pattern)) {
    pieces.push({ text: shown.slice(at, match.index), isHit: false }, { text: match[0], isHit: true })
    at = match.index + match[0].length
  }
  pieces.push({ text: shown.slice(at) + (end < text.length - from ? ' …' : ''), isHit: false })
  return pieces.filter((piece) => piece.text !== '')
}

const escaped = (term: string): string => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
