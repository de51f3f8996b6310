// What speaks for and against one tender, in the language of the page; values from notices stay as they are.
import type { Contradiction } from '../../domain/contradiction.ts'
import { isSaidIn, lineOf } from '../../domain/lines.ts'
import type { Language } from '../frame/languages.ts'
import { evidenceTexts } from './evidence-texts.ts'

/** A sign with its weight; a contradiction has none. */
type Sign = readonly [sign: string, weight: string | undefined]

/** `evidence`: `title +5.1, buyer equal +2.6`, or the English line of a contradiction. */
type Evidence = { readonly evidence: string; readonly contradiction?: Contradiction | undefined }

/** Points as signs with weights; anything else as one without a weight. */
export function signsOf({ evidence, contradiction }: Evidence, language: Language): readonly Sign[] {
  const { signs, phrases } = evidenceTexts[language]
  if (contradiction && isSaidIn(phrases, contradiction)) return [[lineOf(phrases, contradiction), undefined]]
  const parts = evidence.split(', ').map((each) => /^(.+) ([+-]\d+\.\d|0\.0)$/.exec(each))
  if (!parts.every((each) => each !== null)) return [[evidence, undefined]]
  return parts.map(([, sign, weight]) => [signs[sign!] ?? sign!, weightText(weight!, language)])
}

const weightText = (weight: string, language: Language): string =>
  (language === 'de' ? weight.replace('.', ',') : weight).replace('-', '−')

/** Evidence in one line. */
export const evidenceText = (evidence: Evidence, language: Language): string =>
  signsOf(evidence, language)
    .map(([sign, weight]) => (weight === undefined ? sign : `${sign} ${weight}`))
    .join(language === 'de' ? '; ' : ', ')

/** The name of a rule; of one that is unknown its code. */
export const ruleName = (rule: string, language: Language): string => evidenceTexts[language].rules[rule] ?? rule
