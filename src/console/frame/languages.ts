// The languages of the console. Each group of texts has both, so that a missing text does not compile.

const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** Texts of one group by language: strings, and functions that put values in. */
export type Texts<Group> = { readonly en: Group; readonly de: Group }

/** The better of ours for an `Accept-Language` header (RFC 9110, 12.5.4); English where none fits. */
export function preferredLanguage(header: string | undefined): Language {
  const wanted = (header ?? '')
    .split(',')
    .slice(0, 20)
    .map((part) => {
      const [range = '', ...parameters] = part.trim().toLowerCase().split(';')
      const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find(Boolean)
      return { language: range.split('-')[0]!, weight: weight === undefined ? 1 : Number(weight) }
    })
    .sort((left, right) => right.weight - left.weight)
  return languages.find((language) => language === wanted.find((each) => isLanguage(each.language))?.language) ?? 'en'
}

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text)
