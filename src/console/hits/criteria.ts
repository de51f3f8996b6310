// What somebody typed into a form of a search or profile, field by field: either read, or a sentence about what is
// wrong with the field.
import { HitInputError, maxItems } from '../../hits/read-input.ts'
import { type Picked, pickedOf } from '../codes/code-picker.ts'
import { fieldOf } from '../frame/forms.ts'
import type { Language } from '../frame/languages.ts'
import { criteriaTexts } from './criteria-texts.ts'

/** Sentences by the name of their field. */
export type FieldErrors = ReadonlyMap<string, string>

/** What the forms of searches and profiles share, as typed. */
export type CriteriaForm = {
  readonly name: string
  readonly cpv: Picked
  readonly nuts: Picked
  readonly words: string
  readonly authorities: string
  readonly natures: readonly string[]
  readonly valueMin: string
  readonly valueMax: string
  readonly notWords: string
  readonly notCpv: Picked
}

/** What was sent. */
export const criteriaSent = (form: URLSearchParams): CriteriaForm => ({
  name: fieldOf(form, 'name'),
  cpv: pickedOf(form, 'cpv', 'cpv'),
  nuts: pickedOf(form, 'nuts', 'nuts'),
  words: fieldOf(form, 'words'),
  authorities: fieldOf(form, 'authorities'),
  natures: form.getAll('nature'),
  valueMin: fieldOf(form, 'value-min'),
  valueMax: fieldOf(form, 'value-max'),
  notWords: fieldOf(form, 'not-words'),
  notCpv: pickedOf(form, 'cpv', 'not-cpv'),
})

/** Splits words at commas, semicolons, spaces and line ends. */
export const wordList = (text: string): string[] => text.split(/[\s,;]+/).filter((word) => word !== '')

/** Splits a text into one item per line. */
export const lineList = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Reads the fields of one form, and collects what is wrong with them. */
export class CriteriaParser {
  readonly errors = new Map<string, string>()
  readonly #texts: (typeof criteriaTexts)['en']

  constructor(language: Language) {
    this.#texts = criteriaTexts[language]
  }

  /** Undefined when the list is empty or an item cannot be read. */
  list<Item>(
    field: string,
    items: readonly string[],
    read: (text: string) => Item,
    kind: keyof (typeof criteriaTexts)['en']['bad'],
  ): Item[] | undefined {
    if (items.length > maxItems) this.errors.set(field, this.#texts.tooMany(items.length, maxItems))
    const found: Item[] = []
    for (const item of items)
      try {
        found.push(read(item))
      } catch (error) {
        if (!(error instanceof HitInputError)) throw error
        if (!this.errors.has(field)) this.errors.set(field, this.#texts.bad[kind](shortened(item)))
      }
    return found.length === 0 || this.errors.has(field) ? undefined : found
  }

  /**
   * A whole number in [from, to], as people write it: `250,000` and `250.000` are the same. Undefined when empty or
   * wrong.
   */
  whole(field: string, text: string, from: number, to: number): number | undefined {
    const typed = text.trim()
    if (typed === '') return undefined
    const digits = /^\d{1,3}(?:[.,'’\s]\d{3})+$/.test(typed) ? typed.replace(/\D/g, '') : typed
    const value = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN
    if (value >= from && value <= to) return value
    this.errors.set(field, this.#texts.badNumber(from, to))
    return undefined
  }

  /** Inclusive bounds; the error is reported at the upper one. */
  range(minField: string, min: string, maxField: string, max: string) {
    const valueMin = this.whole(minField, min, 0, 999_999_999_999_999)
    const valueMax = this.whole(maxField, max, 0, 999_999_999_999_999)
    if (valueMin !== undefined && valueMax !== undefined && valueMin > valueMax)
      this.errors.set(maxField, this.#texts.emptyRange(min.trim()))
    return { valueMin, valueMax }
  }

  /** Reads a name of 1 to 200 characters. */
  name(field: string, text: string): string {
    const name = text.trim()
    if (name === '') this.errors.set(field, this.#texts.noName)
    else if (name.length > 200) this.errors.set(field, this.#texts.longName)
    return name
  }
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** Returns the members that are neither undefined nor empty. */
export const present = (members: { readonly [name: string]: unknown }): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  )
