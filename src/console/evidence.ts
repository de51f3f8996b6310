// Evidence for people: the set phrases of the matcher in the language of the page, values from notices as they are.
import { evidenceTexts } from './text/evidence-texts.ts'
import type { Language } from './text/languages.ts'

type Phrases = (typeof evidenceTexts)['en']['phrases']
type Said = (texts: Phrases, word: (name: string) => string, ...values: string[]) => string

/** As the matcher writes them. The last also fits others, so the order matters. */
const phrases: readonly (readonly [pattern: RegExp, say: Said])[] = [
  [/^an operator joined them$/, (say) => say.operator()],
  [/^the one procedure that refers to it$/, (say) => say.follower()],
  [/^one is marked as a copy of an older procedure$/, (say) => say.copy()],
  [/^different numbers of one numbering$/, (say) => say.numbering()],
  [/^different buyers$/, (say) => say.buyers()],
  [/^CPV codes of different kinds$/, (say) => say.cpv()],
  [/^each description names something of its own$/, (say) => say.descriptions()],
  [/^a result as old as the call$/, (say) => say.asOld()],
  [/^a result as old as the call of the other$/, (say) => say.asOldAsOther()],
  [/^each title has words of its own \(([\d.]+)\)$/, (say, _, weight) => say.titles(weight!)],
  [/^results (\d+) days apart$/, (say, _, days) => say.results(days!)],
  [/^result (-?\d+) days after the call$/, (say, _, days) => say.resultAfter(days!)],
  [/^published (\d+) days apart$/, (say, _, days) => say.published(days!)],
  [/^deadlines (\d+) days apart$/, (say, _, days) => say.deadlines(days!)],
  [/^different ids of (.+)$/, (say, _, scope) => say.ids(scope!)],
  [/^a result names (.+)$/, (say, _, key) => say.names(key!)],
  [
    /^(call|result|contract|planning) and (call|result|contract|planning): only by reference$/,
    (say, word, one, other) => say.byReference(word(one!), word(other!)),
  ],
  [/^(lot|phase|trade|ordinal) (.+) and (.+)$/, (say, word, type, one, other) => say.marks(word(type!), one!, other!)],
  [/^(.+) and (.+)$/, (say, _, one, other) => say.two(one!, other!)],
]

/** A sign with its weight; a phrase has none. */
type Sign = readonly [sign: string, weight: string | undefined]

/** `title +5.1, buyer equal +2.6` as signs; another line, such as two numbers that differ, as one without a weight. */
export function signsOf(evidence: string, language: Language): readonly Sign[] {
  const texts = evidenceTexts[language]
  const parts = evidence.split(', ').map((each) => /^(.+) ([+-]\d+\.\d|0\.0)$/.exec(each))
  if (parts.every((each) => each !== null))
    return parts.map((each) => [texts.signs[each[1]!] ?? each[1]!, weightText(each[2]!, language)] as const)
  for (const [pattern, say] of phrases) {
    const found = pattern.exec(evidence)
    if (found) return [[say(texts.phrases, (name) => texts.words[name] ?? name, ...found.slice(1)), undefined]]
  }
  return [[evidence, undefined]]
}

const weightText = (weight: string, language: Language): string =>
  (language === 'de' ? weight.replace('.', ',') : weight).replace('-', '−')

/** Evidence in one line. */
export const evidenceText = (evidence: string, language: Language): string =>
  signsOf(evidence, language)
    .map(([sign, weight]) => (weight === undefined ? sign : `${sign} ${weight}`))
    .join(language === 'de' ? '; ' : ', ')

/** The name of a rule; of one that is unknown its code. */
export const ruleName = (rule: string, language: Language): string => evidenceTexts[language].rules[rule] ?? rule
