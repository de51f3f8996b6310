// Titles that an authority wrote in several languages: copies in another language are made from them, and the table of
// words is counted from them. They are read from the corpus; the repository has none.

import { wordsOf } from '../../src/domain/name-words.ts'
import type { MultilingualText, Notice } from '../../src/domain/notice.ts'
import { readNotices } from '../corpus-notices.ts'
import type { Listing } from '../cross-portal.ts'
import { withDeadline } from '../perturb.ts'
import { authorityOf } from './free-labels.ts'
import { isToLearn } from './learn-weights.ts'

export type Translated = {
  readonly authority: string
  /** The notice that it is, or whose lot it is. */
  readonly noticeKey: string
  readonly isLot: boolean
  readonly listing: Listing & { readonly translations: NonNullable<Listing['translations']> }
}

/** Minimum number of words: fewer say too little for a separate title ("Lot 3"). */
const fewestWords = 3

const textIn = (text: MultilingualText | undefined, language: string): string | undefined => text?.[language]

function translationsOf(
  title: MultilingualText,
  description: MultilingualText | undefined,
  own: string,
): NonNullable<Listing['translations']> | undefined {
  const plain = (text: string): string => wordsOf(text).join(' ')
  const others = Object.entries(title).filter(
    ([language, text]) => language !== own && language !== 'und' && plain(text) !== plain(title[own]!),
  )
  if (others.length === 0 || wordsOf(title[own]!).length < fewestWords) return undefined
  return Object.fromEntries(
    others.map(([language, text]) => {
      const body = textIn(description, language)
      return [language, { title: text, ...(body === undefined ? {} : { description: body }) }]
    }),
  )
}

/** Yields the notice, and each of its lots as if it were a separate tender: the parts of one project are similar. */
function translatedOf(notice: Notice): Translated[] {
  const [buyer] = notice.contractingAuthorities
  const published = notice.publicationDate ?? notice.dispatchDate
  if (!buyer || !published) return []
  const found = new Map<string, Translated>()
  const parts = [notice, ...notice.lots]
  parts.forEach((part, number) => {
    const { title, description } = part
    const own = title?.[notice.language] === undefined ? Object.keys(title ?? {}).sort()[0] : notice.language
    const translations = title && own !== undefined ? translationsOf(title, description, own) : undefined
    if (!title || own === undefined || !translations) return
    const body = textIn(description, own)
    const listing = {
      source: 'ted',
      id: `${notice.noticeKey}#${number}`,
      title: title[own]!,
      buyer: buyer.name,
      cpv: part.cpvCodes.length > 0 ? part.cpvCodes : notice.cpvCodes,
      nuts: part.nutsCodes.length > 0 ? part.nutsCodes : notice.nutsCodes,
      formType: 'competition' as const,
      published,
      language: own,
      translations,
      ...(body === undefined ? {} : { description: body }),
      ...(buyer.city === undefined ? {} : { city: buyer.city }),
      ...(buyer.country === undefined ? {} : { country: buyer.country }),
    }
    const same = wordsOf(listing.title).join(' ')
    if (!found.has(same))
      found.set(same, {
        authority: authorityOf(notice),
        noticeKey: notice.noticeKey,
        isLot: number > 0,
        listing: { ...withDeadline(listing), translations },
      })
  })
  return [...found.values()]
}

export async function readTranslated(corpus: string): Promise<Translated[]> {
  const found = new Map<string, Translated>()
  for await (const { notices } of readNotices(corpus, ['ted-eforms', 'ted-legacy', 'doffin-eforms']))
    for (const notice of notices)
      for (const each of translatedOf(notice))
        found.set(`${each.authority} ${wordsOf(each.listing.title).join(' ')}`, each)
  return [...found.values()].sort((a, b) => (a.listing.id < b.listing.id ? -1 : 1))
}

/** Words are counted in one half of the authorities; copies are placed from the other half. */
export const isOfLearning = ({ authority }: Translated): boolean => isToLearn(authority)
