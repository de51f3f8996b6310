// Why a part of the fit score has its points, and which rules acted on the sum: codes and values, and the English lines
// that hits, messages and commands have.
import { type Lines, lineOf } from '../../domain/lines.ts'
import { type CodeReason, clauseLine, type WordReason } from '../clause-reason.ts'

/** A code of the record and one of the company. */
type TwoCodes = { readonly code: string; readonly own: string }
type OneCode = { readonly code: string }
type Unit = { readonly [name in string]: never }

export type PartReason =
  | { readonly code: 'unknown'; readonly values: Unit }
  | { readonly code: 'same-for-all'; readonly values: Unit }
  | { readonly code: 'other-sector'; readonly values: OneCode }
  | { readonly code: 'own-code'; readonly values: OneCode }
  | { readonly code: 'below-own-code'; readonly values: TwoCodes }
  | { readonly code: 'above-own-code'; readonly values: TwoCodes }
  | { readonly code: 'shared-beginning'; readonly values: TwoCodes & { readonly shared: string } }
  | { readonly code: 'title-like'; readonly values: TwoCodes }
  | { readonly code: 'title-other'; readonly values: OneCode }
  | { readonly code: 'no-words'; readonly values: Unit }
  | { readonly code: 'no-wins'; readonly values: Unit }
  | { readonly code: 'nearest-wins'; readonly values: Unit }
  | { readonly code: 'other-region'; readonly values: OneCode }
  | { readonly code: 'own-region'; readonly values: OneCode }
  | { readonly code: 'in-own-region'; readonly values: TwoCodes }
  | { readonly code: 'around-own-region'; readonly values: TwoCodes }
  | { readonly code: 'near-own-region'; readonly values: TwoCodes }
  | { readonly code: 'euros'; readonly values: { readonly value: number } }

export type FitRule =
  | { readonly code: 'nothing-to-compare'; readonly values: { readonly points: number } }
  | { readonly code: 'past-authority'; readonly values: { readonly points: number } }
  | { readonly code: 'excluded-code'; readonly values: CodeReason['values'] }
  | { readonly code: 'excluded-word'; readonly values: WordReason['values'] }
  | { readonly code: 'other-country'; readonly values: { readonly country: string } }
  | { readonly code: 'other-nature'; readonly values: { readonly nature: string } }

export const partLines = {
  unknown: () => 'not known: left out, the others count more',
  'same-for-all': () => 'the same for all matches of the search: left out',
  'other-sector': ({ code }) => `${code} has nothing of your codes`,
  'own-code': ({ code }) => `${code} is yours`,
  'below-own-code': ({ code, own }) => `${code} lies below your ${own}`,
  'above-own-code': ({ code, own }) => `${code} holds your ${own}`,
  'shared-beginning': ({ code, own, shared }) => `${code} and your ${own} share ${shared}`,
  'title-like': ({ code, own }) => `no code stated; its title tells ${code}, like your ${own}`,
  'title-other': ({ code }) => `no code stated; its title tells ${code}, which has nothing of yours`,
  'no-words': () => 'no words to compare',
  'no-wins': () => 'no past wins to compare',
  'nearest-wins': () => 'likeness of texts, titles and authority to the nearest past wins',
  'other-region': ({ code }) => `${code} is none of your regions`,
  'own-region': ({ code }) => `${code} is yours`,
  'in-own-region': ({ code, own }) => `${code} lies in your ${own}`,
  'around-own-region': ({ code, own }) => `${code} holds your ${own}`,
  'near-own-region': ({ code, own }) => `${code} is near your ${own}`,
  euros: ({ value }) => `${value} EUR`,
} satisfies Lines<PartReason>

export const ruleLines = {
  'nothing-to-compare': ({ points }) => `nothing to compare: ${points}`,
  'past-authority': ({ points }) => `past-authority +${points}`,
  'excluded-code': (values) => `excluded: ${clauseLine({ code: 'code', values })}`,
  'excluded-word': (values) => `excluded: ${clauseLine({ code: 'word', values })}`,
  'other-country': ({ country }) => `country ${country}`,
  'other-nature': ({ nature }) => `contract nature ${nature}`,
} satisfies Lines<FitRule>

export const partLine = (reason: PartReason): string => lineOf(partLines, reason)
export const ruleLine = (rule: FitRule): string => lineOf(ruleLines, rule)
