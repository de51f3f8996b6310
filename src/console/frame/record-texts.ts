// The title of a record as people read it, and the language that marks it.
import type { TenderRecord } from '../../domain/tender.ts'

type Titled = Partial<Pick<TenderRecord, 'title' | 'displayTitle' | 'titleLanguage' | 'language'>>

/** Its text is empty if there is none; `lang` is undefined if it is not known. */
export function titleOf(record: Titled): { readonly text: string; readonly lang: string | undefined } {
  return {
    text: (record.displayTitle ?? record.title ?? '').trim(),
    lang: record.titleLanguage ?? record.language,
  }
}
