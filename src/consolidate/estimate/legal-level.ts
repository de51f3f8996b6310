// Under which law a tender is, and what kind of contract it is: codes first, the words of the notice last.
import { foldLetters } from '../../domain/name-words.ts'
import type { TenderContent } from '../../domain/tender.ts'

/** `eu`: from the Union's thresholds on; `national`: below them. */
export type LegalLevel = 'eu' | 'national'

const directive = /^3\d{4}l\d{4}$/
const nationalBasis = /^(?:(?:de-)?(?:uvgo|vob(?:-?a)?(?:-abs-?1)?|vol(?:-?a)?|hhr|lhv)|national)$/
const unionBasis = /^(?:de-)?(?:vgv|sektvo|konzvgv|vsvgv|vob-?a-(?:eu|vs|abs-?[23]))$/
const nationalProcedure = /^(?:de|us)-/

/**
 * Words of German law, folded. VOB alone, VOB/B and VOB/C are contract law; sections of the GWB stand in clauses of
 * every level; "europaweit" without what is advertised is the trade of somebody.
 */
const words: { readonly [level in LegalLevel]: RegExp } = {
  eu: new RegExp(
    [
      String.raw`\b(?:vgv|sektvo|konzvgv|vsvgv)\b|\bvergabeverordnung\b|\bsektorenverordnung\b`,
      String.raw`\bvob ?\/? ?a[ -]*(?:\(?eu\b|\(?vs\b|,? ?(?:2|3|zweiter|dritter)\.? ?abschnitt)|\beu[ -]vob`,
      String.raw`\beu-?weite?[rnms]*\b(?! (?:taetig|tatig|agier|handel))`,
      String.raw`\beuropaweite?[rnms]*\)?,? (?:[a-z-]+ )?(?:ausschreib|ausgeschrieb|vergabe|bekannt|verfahren|offene|wettbewerb)`,
      String.raw`(?<!verlegung im |verlegt im )\boffene[ns]? (?:vergabe)?verfahren`,
      String.raw`\bverhandlungsverfahrens? (?:mit|ohne)(?: \w+)? teilnahmewettbewerb`,
      String.raw`\bnicht ?offene[ns]? (?:vergabe)?verfahren`,
    ].join('|'),
  ),
  national: new RegExp(
    [
      String.raw`\buvgo\b|\bunterschwellenvergabeordnung\b|\bvol ?\/? ?a\b(?![ -]*\(?eg\b)`,
      String.raw`\bvob ?\/ ?a\b(?![ -]*(?:\(?eu\b|\(?vs\b|,? ?(?:2|3|zweiter|dritter)\.? ?abschnitt))`,
      String.raw`\boffentliche[rn]?,? (?:\w+ )?ausschreibung|\bbeschrankte[rn]?,? (?:\w+ )?ausschreibung`,
      String.raw`\bverhandlungsvergabe\b|\bfreihandige[rn]? vergabe\b|\bnationale[rns]? (?:ausschreibung|vergabeverfahren)`,
    ].join('|'),
  ),
}

/** The law that stands first in the title, else in the description. */
function levelOfWords(texts: readonly (string | undefined)[]): LegalLevel | undefined {
  for (const text of texts) {
    const folded = foldLetters(text ?? '')
    const [eu, national] = [words.eu.exec(folded)?.index ?? -1, words.national.exec(folded)?.index ?? -1]
    if (eu >= 0 || national >= 0) return national < 0 || (eu >= 0 && eu <= national) ? 'eu' : 'national'
  }
  return undefined
}

/** DÖE gives the notices of its below-threshold channel (`eforms-sdk-0.1`) numbers in place of UUIDs. */
function isBelowThresholdChannel({ publisher, noticeId, url }: TenderContent['originalSources'][number]): boolean {
  return publisher === 'doe' && (/^\d+(?:-\d+)?$/.test(noticeId ?? '') || /\/notice\/\d+$/.test(url ?? ''))
}

/**
 * The level of a record: its legal basis, the journal or channel that published it, its national procedure code, then,
 * in Germany, the words of its procedure, title and description. Undefined where nothing says it.
 */
export function legalLevelOf(content: TenderContent): LegalLevel | undefined {
  const { legalBasis, originalSources, procedureTypeNational, title, description } = content
  const basis = (legalBasis ?? '').toLowerCase()
  if (directive.test(basis) || unionBasis.test(basis)) return 'eu'
  if (nationalBasis.test(basis)) return 'national'
  if (originalSources.some(({ publicationNumber }) => publicationNumber)) return 'eu'
  if (originalSources.some(isBelowThresholdChannel)) return 'national'
  if (nationalProcedure.test(procedureTypeNational ?? '')) return 'national'
  const country = content.contractingAuthority?.country ?? content.realizedLocation?.country
  const isGerman =
    country === 'DE' || (country === undefined && originalSources.some(({ publisher }) => publisher === 'doe'))
  return isGerman ? levelOfWords([procedureTypeNational, title, description]) : undefined
}
