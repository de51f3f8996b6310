// What a search looks for and why a tender matched it, in the reader's language. Hits store these sentences in English,
// as webhooks carry them: here each is recognized by its shape.
import type { Clause } from '../hits/plain-match.ts'
import type { SearchFilter } from '../hits/saved-search.ts'
import { formatNumber } from './format.ts'
import { type Content, html } from './html.ts'
import { quoted } from './parts.ts'
import { clauseTexts } from './text/clause-texts.ts'
import type { Language } from './text/languages.ts'

type Words = (typeof clauseTexts)['en']
/** A sentence as `plain-match` or `fit` writes it, and the same in a different language. */
type Shape = readonly [shape: RegExp, say: (texts: Words, parts: readonly string[]) => string]

const lists = /^(.*) and (\d+) more$/s
/** Formats items as listed; `name` names each. */
function listOf(texts: Words, listed: string, name: (item: string) => string = (item) => item): string {
  const [, some = listed, more] = lists.exec(listed) ?? []
  const items = some.split(', ').map(name).join(', ')
  return more === undefined ? items : texts.andMore(items, more)
}

const placeShapes: readonly Shape[] = [
  [/^the title$/, ({ inTitle }) => inTitle],
  [/^the description$/, ({ inDescription }) => inDescription],
  [/^the title of lot (.*)$/s, (texts, [lot]) => texts.inLotTitle(lot!)],
  [/^the description of lot (.*)$/s, (texts, [lot]) => texts.inLotDescription(lot!)],
  [/^the title \((.*)\)$/s, (texts, [language]) => texts.inOtherTitle(language!)],
  [/^the description \((.*)\)$/s, (texts, [language]) => texts.inOtherDescription(language!)],
]
/** Where a word is, with its preposition. */
const placeOf = (texts: Words, place: string): string => said(placeShapes, place, texts) ?? place

const codes: readonly Shape[] = [
  [/^(\S+) in lot (.*) by (\S+)$/s, (texts, [held, lot, own]) => texts.lotCodeBy(held!, lot!, own!)],
  [/^(\S+) by (\S+)$/, (texts, [held, own]) => texts.codeBy(held!, own!)],
  [/^no code of the tender or a lot lies in (.*)$/s, (texts, [listed]) => texts.noCode(listOf(texts, listed!))],
  [/^no region of the tender lies in (.*)$/s, (texts, [listed]) => texts.noRegion(listOf(texts, listed!))],
]
const words: readonly Shape[] = [
  [
    /^"([^"]*)" as "([^"]*)" in (.*)$/s,
    (texts, [word, token, place]) => texts.wordAs(word!, token!, placeOf(texts, place!)),
  ],
  [/^"([^"]*)" in (.*)$/s, (texts, [word, place]) => texts.wordIn(word!, placeOf(texts, place!))],
  [/^no text has (.*)$/s, (texts, [listed]) => texts.noWord(listOf(texts, listed!))],
]
/** The notice names an authority: its name is not one of our sentences. */
const authorities: readonly Shape[] = [
  [/^it is not (.*)$/s, (texts, [listed]) => texts.noAuthority(listOf(texts, listed!))],
]
const none: Shape = [/^nothing that is excluded$/, ({ nothingExcluded }) => nothingExcluded]

const shapes: { readonly [clause in Clause['clause']]: readonly Shape[] } = {
  archived: [[/^the tender is archived: (.*)$/s, (texts, [reason]) => texts.archived(reason!)]],
  cpv: codes,
  nuts: codes,
  word: words,
  authority: authorities,
  'contract nature': [
    [
      /^neither tender nor lot is (.*)$/s,
      (texts, [listed]) => texts.noNature(listOf(texts, listed!, (code) => texts.nature(code))),
    ],
    [/^(\S+) in lot (.*)$/s, (texts, [code, lot]) => texts.lotNature(code!, lot!)],
    [/^(\S+)$/, (texts, [code]) => texts.nature(code!)],
  ],
  procedure: [
    [
      /^(\S+) is not (.*)$/s,
      (texts, [code, listed]) =>
        texts.noProcedure(
          code!,
          listOf(texts, listed!, (each) => texts.procedure(each)),
        ),
    ],
    [/^(\S+)$/, (texts, [code]) => texts.procedure(code!)],
  ],
  value: [
    [/^the value is not known$/, ({ noValue }) => noValue],
    [
      /^(.*) does not lie in (\S+) to (\S+) EUR$/s,
      (texts, [amount, from, to]) => texts.valueOutside(amount!, from!, to!),
    ],
    [/^(.*) lies in (\S+) to (\S+) EUR$/s, (texts, [amount, from, to]) => texts.valueIn(amount!, from!, to!)],
  ],
  deadline: [
    [/^the deadline is not known$/, ({ noDeadline }) => noDeadline],
    [/^(-?\d+) days are left, (\d+) are asked for$/, (texts, [left, asked]) => texts.daysLeft(left!, asked!)],
    [
      /^(-?\d+) days are left to participate, (\d+) are asked for$/,
      (texts, [left, asked]) => texts.daysLeftToParticipate(left!, asked!),
    ],
  ],
  'excluded cpv': [none, ...codes],
  'excluded nuts': [none, ...codes],
  'excluded word': [none, ...words],
  'excluded authority': [none],
}

const ruleShapes: readonly Shape[] = [
  [/^nothing to compare: (\S+)$/, (texts, [points]) => texts.nothingToCompare(points!)],
  [/^past-authority \+(\S+)$/, (texts, [points]) => texts.pastAuthority(points!)],
  [
    /^excluded: (.*)$/s,
    (texts, [what]) => texts.excluded(said([...codes.slice(0, 2), ...words.slice(0, 2)], what!, texts) ?? what!),
  ],
  [/^country (.*)$/s, (texts, [code]) => texts.country(code!)],
  [/^contract nature (.*)$/s, (texts, [code]) => texts.otherNature(code!)],
]

/** Undefined for a sentence of unknown shape. */
function said(known: readonly Shape[], text: string, texts: Words): string | undefined {
  for (const [shape, say] of known) {
    const parts = shape.exec(text)
    if (parts) return say(texts, parts.slice(1))
  }
  return undefined
}

const isClause = (name: string): name is Clause['clause'] => Object.hasOwn(shapes, name)

/** The sentence of a clause; unknown text stays unchanged, marked as English unless it is a name. */
export function clauseText({ clause, text }: Pick<Clause, 'clause' | 'text'>, language: Language): Content {
  const known = said(shapes[clause], text, clauseTexts[language])
  return known === undefined && !clause.endsWith('authority') ? quoted(text, 'en') : quoted(known ?? text)
}

/** `clause: sentence`, as a hit stores it. */
export function matchedLine(line: string, language: Language): Content {
  const [, name = '', text = ''] = /^([^:]+): (.*)$/s.exec(line) ?? []
  if (!isClause(name)) return quoted(line, 'en')
  return html`${clauseTexts[language].names[name]}: ${clauseText({ clause: name, text }, language)}`
}

/** Describes a rule that affected a score. */
export function ruleText(rule: string, language: Language): Content {
  const known = said(ruleShapes, rule, clauseTexts[language])
  return known === undefined ? quoted(rule, 'en') : quoted(known)
}

/** What a search looks for, on one line. */
export function filterLine(filter: SearchFilter, language: Language): Content {
  const texts = clauseTexts[language]
  const say = (member: string, item: unknown): string => {
    if (typeof item === 'number') return formatNumber(item, language)
    if (member === 'contractNatures') return texts.nature(String(item))
    return member === 'procedures' ? texts.procedure(String(item)) : String(item)
  }
  const lineOf = (members: object, name: (member: string) => string) =>
    Object.entries(members).flatMap(([member, value]: [string, unknown]) =>
      Object.hasOwn(texts.members, member)
        ? [
            html`${name(texts.members[member as keyof typeof texts.members])} ${quoted(
              [value]
                .flat()
                .map((item) => say(member, item))
                .join(', '),
            )}`,
          ]
        : [],
    )
  const lines = [...lineOf(filter, (member) => member), ...lineOf(filter.excluded ?? {}, texts.without)]
  return lines.map((line, index) => html`${index > 0 && '; '}${line}`)
}
