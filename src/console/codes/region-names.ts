// Regions by their names.
import { codeLabel, codesAbove } from '../../domain/code-labels.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import type { Language } from '../frame/languages.ts'

/** The region of the first code that is listed: not smaller than a district of a state. */
export function regionOf({ nutsCodes }: Pick<TenderRecord, 'nutsCodes'>, language: Language): string | undefined {
  for (const code of nutsCodes) {
    const label = [code.slice(0, 4), code.slice(0, 3), code.slice(0, 2)]
      .map((each) => codeLabel('nuts', each, language))
      .find((each) => each !== undefined)
    if (label !== undefined) return label
  }
  return undefined
}

/** The names of a region and of what it lies in are the same for some: Berlin. */
export const regionName = (code: string, language: Language): string =>
  codeLabel('nuts', code, language) ??
  codesAbove('nuts', code)
    .map((each) => codeLabel('nuts', each, language))
    .findLast((each) => each !== undefined) ??
  code
