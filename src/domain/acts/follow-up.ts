// Notices that only tell about an earlier one: "Der Auftraggeber … gibt … folgende Berichtigung bekannt: …". What they
// say follows the announcement; the title that they quote before may hold any word.
import type { Act, ActReading } from './act.ts'
import { actWordsOf, dateNounsOf } from './act-words.ts'
import { actOfEnded, besideKept, endedLots } from './ended-lots.ts'
import { findPhrase, tokensOf } from './phrases.ts'

const opening =
  /^\s*(?:der auftraggeber|die vergabestelle|die ausschreibende stelle|die auftraggeberin)\b[\s\S]{0,600}?\bgibt\b/iu
const announced = /\bbekannt\b\s*(?:[:,.]|(?=dass\b))/giu
/** How far the announcement may be from the beginning: names, numbers and the quoted title stand before it. */
const reach = 1_500
/** How much of the announcement says what it is. */
const firstSentences = 2_500
/** How much of it says which lots stay. */
const reachOfLots = 1_000

/** The text after "bekannt:", or undefined if the description is none of this kind. */
export function followUpText(description: string): string | undefined {
  if (!opening.test(description)) return undefined
  const last = [...description.slice(0, reach).matchAll(announced)].at(-1)
  return last && description.slice(last.index + last[0].length).trim()
}

const quoted = /[„"“«][^„"“”«»]{0,400}["“”»]/gu

const actsInOrder = ['cancellation', 'suspension', 'award', 'deadline-extension'] as const

const procedureNoun = '(?:(?:vergabe)?verfahrens?|ausschreibung(?:sverfahren)?|vergabe|bekanntmachung|los(?:es|e)?)'
const endedVerb =
  '(?:aufgehoben|aufzuheben|zurückgezogen|zurückzuziehen|annulliert|storniert|abgebrochen|(?<!neu |wieder |erneut )eingestellt)'

/** What ends a procedure, and not a position of it. */
const ended = new RegExp(
  [
    `\\b${procedureNoun}\\b[\\s\\S]{0,250}?\\b${endedVerb}\\b`,
    `\\b(?:aufhebung|abbruch|einstellung|rücknahme|widerruf) (?:der |des |von )?(?:[\\p{L}\\d]+ ){0,2}${procedureNoun}\\b`,
    `^\\W*(?:aufhebung|aufgehoben)\\b`,
    `\\b${procedureNoun}\\b[^.]{0,60}\\b(?:erneut|neu)\\b[^.]{0,20}\\b(?:hochgeladen|angelegt|veröffentlicht|ausgeschrieben)\\b`,
    `\\bheb(?:t|en)\\b[^.]{0,120}\\b${procedureNoun}\\b[\\s\\S]{0,120}?\\bauf\\b`,
  ].join('|'),
  'iu',
)
const halted = /\b(?:ausgesetzt|unterbrochen|ruht)\b/iu
const given =
  /\b(?:zuschlag|auftrag)\b[^.]{0,80}\b(?:wurde|wird|ist)\b[^.]{0,60}\b(?:erteilt|vergeben)\b|\bden zuschlag erh(?:ie|ä)lt\b/iu
/** A deadline that is named together with a verb of change, or with a day. */
const verbsOfChange =
  'verläng\\p{L}*|fristverlängerung|versch[ioe]+b\\p{L}*|verlegt|geändert|änder\\p{L}*|aktualisiert|festgesetzt|neue?r?|sich'
const moved = new RegExp(`\\b(?:${verbsOfChange})\\b|\\d{1,2}\\.\\s?\\d{1,2}\\.`, 'iu')

/** The act of a notice about an earlier one, from the first of its texts that is of this kind. */
export function readFollowUp(
  texts: readonly { readonly language: string; readonly description: string }[],
): ActReading | undefined {
  for (const { description } of texts) {
    const after = followUpText(description)
    if (after === undefined) continue
    const text = after.replace(quoted, ' ')
    const act = actIn(text)
    const words = { rule: 'sentence about an earlier notice', field: 'description', isFollowUp: true } as const
    const evidence = text.replace(/\s+/g, ' ').trim().slice(0, 160).toWellFormed()
    if (act === 'cancellation') return { ...endOf(text), ...words, evidence }
    return { act, ...(act !== 'award' && { of: 'call' as const }), ...words, evidence }
  }
  return undefined
}

function actIn(text: string): Act {
  const sentences = text.slice(0, firstSentences)
  if (ended.test(sentences)) return 'cancellation'
  if (halted.test(sentences)) return 'suspension'
  if (given.test(sentences)) return 'award'
  const tokens = tokensOf(sentences, sentences.length)
  if (findPhrase(dateNounsOf('de').deadline, tokens) && moved.test(sentences)) return 'deadline-extension'
  const words = actWordsOf('de')
  const found = actsInOrder.find((act) => {
    const phrases = words.get(act)?.text
    return phrases && findPhrase(phrases, tokens)
  })
  return found ?? 'correction'
}

/** What the first sentence that ends something ends: the whole, lots, or some that it does not name. */
function endOf(text: string): Pick<ActReading, 'act' | 'of' | 'lotNumbers'> {
  const sentences = text.slice(0, firstSentences).split(/(?<=[a-zäöüß]{3}[.!])\s+|\n/u)
  const sentence = sentences.find((each) => ended.test(each)) ?? ended.exec(text.slice(0, firstSentences))?.[0] ?? ''
  const verb = new RegExp(endedVerb, 'iu').exec(sentence) ?? ended.exec(sentence)
  if (!verb) return { act: 'cancellation' }
  const end = endedLots(sentence, 'de', { start: verb.index, end: verb.index + verb[0].length })
  return actOfEnded(besideKept(end, text.slice(0, reachOfLots), 'de'))
}
