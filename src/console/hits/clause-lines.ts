// Why a search matched and how its score came about, in the reader's language. A hit of an older version has only its
// English lines, which are shown as they are.
import { type Coded, isSaidIn, type Lines, lineOf } from '../../domain/lines.ts'
import type { FitRule, PartReason } from '../../hits/fit/fit-reason.ts'
import type { Clause } from '../../hits/plain-match.ts'
import type { SearchStatus } from '../../hits/read-input.ts'
import type { SearchFilter } from '../../hits/saved-search.ts'
import { formatNumber } from '../frame/format.ts'
import { type Content, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { quoted } from '../frame/parts.ts'
import { clauseTexts } from './clause-texts.ts'
import { criteriaTexts } from './criteria-texts.ts'

/** `line`: what is shown of a code that is missing or that only a newer version knows. */
const worded = <Said extends Coded>(lines: Lines<Said>, said: Coded | null | undefined, line: string): Content =>
  said && isSaidIn(lines, said) ? quoted(lineOf(lines, said)) : quoted(line, 'en')

/** Why a clause holds or not. */
export const clauseText = ({ reason }: Pick<Clause, 'reason'>, language: Language): Content =>
  worded(clauseTexts[language].reasons, reason, reason.code)

/** What satisfied a clause; `line` is how the hit says it. */
export function matchedText(
  matched: Pick<Clause, 'clause' | 'reason'> | undefined,
  line: string,
  language: Language,
): Content {
  const { names, reasons } = clauseTexts[language]
  if (!matched || !Object.hasOwn(names, matched.clause) || !isSaidIn(reasons, matched.reason)) return quoted(line, 'en')
  return html`${names[matched.clause]}: ${clauseText(matched, language)}`
}

/** The same as plain text; undefined for a code that only a newer version knows. */
export function matchedWords(
  { clause, reason }: { readonly clause: string; readonly reason: Coded },
  language: Language,
): string | undefined {
  const { names, reasons } = clauseTexts[language]
  if (!Object.hasOwn(names, clause) || !isSaidIn(reasons, reason)) return undefined
  return `${names[clause as keyof typeof names]}: ${lineOf(reasons, reason)}`
}

/** Why a part of the score has its points; `line` is how the hit says it. */
export const partText = (reason: PartReason | null | undefined, line: string, language: Language): Content =>
  worded(clauseTexts[language].parts, reason, line)

/** A rule that acted on the score; `line` is how the hit says it. */
export const ruleText = (rule: FitRule | undefined, line: string, language: Language): Content =>
  worded(clauseTexts[language].rules, rule, line)

/** What a search looks for, on one line. */
export function filterLine(filter: SearchFilter, language: Language): Content {
  const texts = clauseTexts[language]
  const say = (member: string, item: unknown): string => {
    if (typeof item === 'number') return formatNumber(item, language)
    if (member === 'contractNatures') return texts.reasons.nature({ nature: String(item), lot: null })
    if (member === 'status') return criteriaTexts[language].statuses[item as SearchStatus]
    if (member === 'cpv' || member === 'nuts') return texts.called(String(item))
    return member === 'procedures' ? texts.reasons.procedure({ procedure: String(item) }) : String(item)
  }
  const lineOf = (members: object, name: (member: string) => string) =>
    Object.entries(members).flatMap(([member, value]: [string, unknown]) =>
      Object.hasOwn(texts.members, member)
        ? [
            html`${name(texts.members[member as keyof typeof texts.members])} ${quoted(
              [value]
                .flat()
                .map((item) => say(member, item))
                .join(member === 'cpv' ? ' / ' : ', '),
            )}`,
          ]
        : [],
    )
  const lines = [...lineOf(filter, (member) => member), ...lineOf(filter.excluded ?? {}, texts.without)]
  return lines.map((line, index) => html`${index > 0 && '; '}${line}`)
}
