// Reads what a notice is (docs/acts.md). The order of belief: content, status, a sentence about an earlier notice, the
// words of procedure, title and first sentences, and the form type last. Pure.
import type { Notice } from '../notice.ts'
import type { Act, ActField, ActReading, ActRule, Intention } from './act.ts'
import { type ActWords, actWordsOf, type SpokenAct, spokenActs } from './act-words.ts'
import { readNewDeadline } from './deadline-text.ts'
import {
  actOfEnded,
  besideKept,
  type Ended,
  endedLots,
  endedLotsOfText,
  isLotStatement,
  lotNumbersIn,
  namesAllLots,
  sentenceAround,
} from './ended-lots.ts'
import { readFollowUp } from './follow-up.ts'
import { type Found, findPhrase, isAtEdge, isAtStart, tokensOf } from './phrases.ts'
import { isPlainEnd } from './plain-end.ts'

/** How much of a title and of a description says what the notice is. */
const titleCharacters = 400
const firstSentences = 400
/** Labels such as "Auftragnehmer:" stand below names and addresses. */
const labelCharacters = 900
const evidenceCharacters = 160
/** A change has little text: all of it may say what it does. */
const changeCharacters = 2_000

type Spoken = {
  readonly act: SpokenAct
  readonly rule: ActRule
  readonly field: ActField
  readonly evidence: string
  /** Where the words stand in the text. */
  readonly place?: Found
  /** The words are those for the end of a lot. */
  readonly isOfLot?: true
}

/** The act of a notice with the rule and the words that decided. */
export function readAct(notice: Notice): ActReading {
  return (
    actOfContent(notice) ??
    actOfStatus(notice) ??
    actOfChange(notice) ??
    readFollowUp(textsOf(notice)) ??
    actOfWords(notice) ??
    withForm(notice)
  )
}

const excerpt = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, evidenceCharacters).toWellFormed()

const isPlan = ({ formType }: Notice): boolean => formType === 'planning' || formType === 'consultation'

/** What the form says, without the change that it carries. */
function actOfForm({ formType, noticeSubtype, format }: Notice): Act {
  switch (formType) {
    case 'planning':
    case 'consultation':
      return 'prior-information'
    case 'dir-awa-pre':
      return 'ex-ante'
    case 'result':
      return 'award'
    case 'cont-modif':
    case 'completion':
      return 'modification'
    case 'change': {
      // until SDK 1.8 a change had a form type of its own: what it changes shows in the subtype
      const subtype = Number(noticeSubtype)
      if (format !== 'eforms') return 'call'
      if (subtype >= 38 || /^E[56]$/.test(noticeSubtype ?? '')) return 'modification'
      if (subtype >= 29 || /^(?:E4|T02)$/.test(noticeSubtype ?? '')) return 'award'
      if (subtype >= 25) return 'ex-ante'
      return subtype < 10 || /^E[12]$/.test(noticeSubtype ?? '') ? 'prior-information' : 'call'
    }
    default:
      return 'call'
  }
}

function withForm(notice: Notice): ActReading {
  const act = actOfForm(notice)
  const doubt = act === 'call' ? doubtIn(notice) : undefined
  return {
    act,
    ...(act === 'ex-ante' && { intention: 'direct' as const }),
    rule: 'form type',
    field: 'form type',
    evidence: `${notice.formType} / ${notice.noticeType}`,
    ...(doubt && { doubt }),
  }
}

/** Decisions about lots: a result in which no lot has a winner ends the procedure. */
function actOfContent(notice: Notice): ActReading | undefined {
  if (notice.changeReasons?.includes('cancel')) return undefined
  const decided = notice.lots.filter((lot) => lot.result !== undefined || lot.cancelled)
  if (decided.length === 0 || decided.length < notice.lots.length) return undefined
  const outcomes = decided.map(({ result }) => result?.outcome ?? 'not-awarded')
  const isChange = notice.changeReasons !== undefined || notice.formType === 'change'
  if (outcomes.every((outcome) => outcome === 'not-awarded') && !isChange) {
    const reasons = [...new Set(decided.map(({ result }) => result?.reason ?? 'not-awarded'))]
    return { act: 'cancellation', rule: 'no lot has a winner', field: 'results', evidence: reasons.join(', ') }
  }
  if (actOfForm(notice) !== 'call' || !outcomes.includes('awarded') || outcomes.includes('pending')) return undefined
  const winners = decided.flatMap(({ result }) => result?.winners?.map(({ name }) => name) ?? [])
  return { act: 'award', rule: 'result of every lot', field: 'results', evidence: excerpt(winners.join('; ')) }
}

function actOfStatus(notice: Notice): ActReading | undefined {
  if (!notice.isCancelled && !notice.isUnsuccessful) return undefined
  // an award of some lots stands beside the failure of others
  if (notice.lots.some(({ result }) => result?.outcome === 'awarded')) return undefined
  return {
    act: 'cancellation',
    rule: 'status of the source',
    field: 'status',
    evidence: notice.isCancelled ? 'cancelled' : 'unsuccessful',
  }
}

/** A change block, a corrigendum, or the title of one: what it does to the act that the form names. */
function actOfChange(notice: Notice): ActReading | undefined {
  const { changeReasons } = notice
  const isCorrigendum = notice.formType === 'change' && notice.format === 'ted-export'
  if (changeReasons === undefined && notice.formType !== 'change') return undefined
  const of = actOfForm(notice)
  const evidence = changeReasons?.join(', ') || notice.noticeType
  const change = { rule: 'change block', field: 'change', evidence } as const
  if (changeReasons?.includes('cancel')) return { act: 'cancellation', of, ...change }
  if (changeReasons?.includes('susp-review')) return { act: 'suspension', of, ...change }
  // the intention to cancel a result does not take it back
  if (changeReasons?.includes('cancel-intent') && of === 'award') return { act: 'award', ...change }
  return (
    actOfChangeText(notice, of) ??
    (isCorrigendum ? actOfCorrigendum(notice, of) : undefined) ?? { act: 'correction', of, ...change }
  )
}

/** A corrigendum names nothing but what it changes: its deadline is a new one. */
function actOfCorrigendum(notice: Notice, of: Act): ActReading | undefined {
  const deadline = notice.submissionDate ?? notice.participationDate
  if (deadline === undefined) return undefined
  return { act: 'deadline-extension', of, rule: 'deadline of a corrigendum', field: 'change', evidence: deadline }
}

/** What the text of a change says that it does; the title counts if it says that all has ended. */
function actOfChangeText(notice: Notice, of: Act): ActReading | undefined {
  const told = { of, rule: 'words of the change', field: 'change text' } as const
  // what is extended in a result or a contract is its term
  const hasDeadline = of === 'call' || of === 'prior-information'
  const moved = hasDeadline ? movedIn(notice) : undefined
  const ended = hasDeadline ? endedIn(notice) : undefined
  const doubt = ended?.reading.act === 'cancellation' && doubtOf(ended.reading)
  const acts: readonly SpokenAct[] = ['suspension', hasDeadline ? 'deadline-extension' : 'cancellation']
  const spoken = spokenIn(notice.changeText, (words, text) =>
    spokenInText(words, text, 'change text', changeCharacters, acts),
  )
  // what goes on until a later day, or stands still, has not ended
  if (ended?.isSure && !moved && !spoken) return { ...ended.reading, of }
  if (spoken) return { ...told, act: spoken.act as Act, evidence: spoken.evidence, ...(doubt && { doubt }) }
  if (moved) return { ...told, act: 'deadline-extension', evidence: excerpt(moved), ...(doubt && { doubt }) }
  return doubt ? { ...told, act: 'correction', field: 'change', evidence: notice.noticeType, doubt } : undefined
}

const doubtOf = ({ act, field, evidence }: ActReading) => ({ act, field, evidence })

/** Where text or title of a change say that the procedure ended; `isSure`: nothing beside it says otherwise. */
function endedIn(notice: Notice): { readonly reading: ActReading; readonly isSure: boolean } | undefined {
  const known = textsOf(notice)
  const others = Object.keys(notice.changeText ?? {}).filter((each) => known.every(({ language }) => language !== each))
  for (const texts of [...known, ...others.map((language) => ({ language, title: '', description: '' }))]) {
    const { language } = texts
    const change = notice.changeText?.[language] ?? ''
    const spoken =
      spokenInText(actWordsOf(language), change, 'change text', changeCharacters, ['cancellation']) ??
      spokenInTitle(language, texts.title, ['cancellation'])
    if (!spoken) continue
    const isText = spoken.field === 'change text'
    const rule = isText ? ('words of the change' as const) : spoken.rule
    const read = { ...texts, ...(isText && { title: '', description: change }) }
    const { sentence, ended } = sentenceAround(isText ? change : texts.title, spoken.place!)
    const reading = readingOf(notice, { ...spoken, rule }, read)
    const place = {
      ...spoken.place!,
      ...ended,
      hasLots: reading.lotNumbers !== undefined,
      isTitle: !isText,
      all: change,
    }
    return {
      reading,
      isSure: isPlainEnd(sentence, language, place) && !past.test(isText ? change : texts.title),
    }
  }
  return undefined
}

/** The text of a change that names a deadline and a date for it. */
function movedIn(notice: Notice): string | undefined {
  const published = notice.publicationDate ?? notice.dispatchDate
  for (const [language, text] of Object.entries(notice.changeText ?? {}))
    if (readNewDeadline(text, { language, published, zone: 'UTC' })) return text
  return undefined
}

type Texts = { readonly language: string; readonly title: string; readonly description: string }

/** Title and description in the notice's own language first, then in the others; of a notice without any, the lot's. */
function textsOf(notice: Notice): Texts[] {
  const [only] = notice.lots.length === 1 ? notice.lots : []
  const languages = new Set([
    notice.language,
    ...Object.keys(notice.title ?? {}).sort(),
    ...Object.keys(notice.description ?? {}).sort(),
  ])
  return [...languages].map((language) => ({
    language,
    title: notice.title?.[language] ?? only?.title?.[language] ?? '',
    description: notice.description?.[language] ?? only?.description?.[language] ?? '',
  }))
}

function spokenIn(
  texts: { readonly [language: string]: string } | undefined,
  find: (words: ActWords, text: string) => Spoken | undefined,
): Spoken | undefined {
  for (const [language, text] of Object.entries(texts ?? {})) {
    const found = find(actWordsOf(language), text)
    if (found) return found
  }
  return undefined
}

function spokenInTitle(language: string, title: string, only: readonly SpokenAct[] = spokenActs): Spoken | undefined {
  const tokens = tokensOf(title, titleCharacters)
  const words = actWordsOf(language)
  for (const act of only) {
    const { edge, lot, title: anywhere } = words.get(act)!
    const whole = edge && findPhrase(edge, tokens, (at, end) => isAtEdge(tokens, at, end))
    const ofLot =
      lot && !whole && findPhrase(lot, tokens, (at, end) => isLotStatement(title, language, tokens, at, end))
    const found = whole ?? ofLot ?? (anywhere && findPhrase(anywhere, tokens))
    if (found) {
      const evidence = excerpt(title.slice(found.start, found.end))
      const spoken = { act, rule: 'words of the title', field: 'title', evidence, place: found } as const
      return ofLot ? { ...spoken, isOfLot: true } : spoken
    }
  }
  return undefined
}

function spokenInText(
  words: ActWords,
  text: string,
  field: ActField,
  limit: number = firstSentences,
  only: readonly SpokenAct[] = spokenActs,
): Spoken | undefined {
  const tokens = tokensOf(text, labelCharacters > limit ? labelCharacters : limit)
  for (const act of only) {
    const { edge, text: sentence } = words.get(act)!
    const reach = isReadFar(act) ? Math.max(labelCharacters, limit) : limit
    const found =
      (sentence && findPhrase(sentence, tokens, (at) => tokens[at]!.start < reach)) ??
      (edge && findPhrase(edge, tokens, (at) => isAtStart(tokens, at)))
    if (found) {
      const evidence = excerpt(text.slice(found.start, found.end + 40))
      return { act, rule: 'first sentences', field, evidence, place: found }
    }
  }
  return undefined
}

/** A text may tell that something else was cancelled or moved: such words count in its first sentences only. */
const isReadFar = (act: SpokenAct): boolean =>
  act === 'award' || act === 'direct' || act === 'restricted' || act === 'prior-information'

/** Acts by which a plan may be overruled: the form for plans is also used to end or to correct them. */
const actsOfPlans: readonly SpokenAct[] = [
  'cancellation',
  'suspension',
  'deadline-extension',
  'correction',
  'direct',
  'restricted',
]

function actOfWords(notice: Notice): ActReading | undefined {
  const form = actOfForm(notice)
  const isBare = form === 'award' && !notice.lots.some(({ result }) => result !== undefined)
  if (form !== 'call' && !isPlan(notice) && !isBare) return undefined
  const titleActs = form === 'call' ? spokenActs : isBare ? (['cancellation'] as const) : actsOfPlans
  for (const { language, title, description } of textsOf(notice)) {
    const words = actWordsOf(language)
    const found =
      spokenInProcedure(language, notice) ??
      (form === 'call' ? jobOffer(title, description) : undefined) ??
      spokenInTitle(language, title, titleActs) ??
      (form === 'call' ? spokenInText(words, description, 'description') : undefined)
    if (!found || !isBelieved(notice, found, title, description)) continue
    const reading = readingOf(notice, found, { language, title, description })
    // a result that fails for some lots stays a result
    return isBare && reading.act !== 'cancellation' ? undefined : reading
  }
  return undefined
}

const forAnySex = /\((?:m|w|f|d)(?:\s*[/|,]\s*(?:m|w|f|d|x|div|i)){2,}\)/iu
const payScale = /\b(?:TVöD|TV-?L|TV-?H|TVA-?L|Entgeltgruppe|EG ?\d{1,2}|Besoldungsgruppe|A ?1[0-5])\b/u
const seeking = /\b(?:suchen wir|wir suchen|sucht zum|suchen zum)\b/iu

/** Training and staff are bought, too: only a pay scale of public service makes a job offer. */
function jobOffer(title: string, description: string): Spoken | undefined {
  const words = forAnySex.exec(title)
  if (!words) return undefined
  const isOffer =
    payScale.test(title) || (payScale.test(description) && seeking.test(description.slice(0, 2 * labelCharacters)))
  return isOffer ? { act: 'other', rule: 'words of the title', field: 'title', evidence: excerpt(title) } : undefined
}

function spokenInProcedure(language: string, { procedureTypeNational }: Notice): Spoken | undefined {
  if (procedureTypeNational === undefined || !procedureTypeNational.includes(' ')) return undefined
  const found = spokenInTitle(language, procedureTypeNational, ['direct', 'restricted', 'prior-information'])
  return found && { ...found, rule: 'words of the procedure', field: 'procedure' }
}

/** Words of a call that is repeated, and of what was before it. */
const past =
  /\b(?:wiederholung\p{L}*|erneut\p{L}*|neuausschreibung\p{L}*|rückversetzung|re-?tender|relance\p{L}*|relaunch\p{L}*|riapertura)\b/iu

/**
 * A call is not hidden by words that may mean something else: what is bought, an earlier procedure, or a text or a lot
 * beside a deadline that is still to come.
 */
function isBelieved(notice: Notice, { act, field, isOfLot }: Spoken, title: string, description: string): boolean {
  if (isPlan(notice)) return true
  // the journal publishes no sales: what is called so there is a concession
  if (act === 'other' && (notice.format === 'ted-export' || notice.publisher === 'ted')) return false
  if (
    act === 'cancellation' &&
    past.test(`${title} ${field === 'description' ? description.slice(0, firstSentences) : ''}`)
  )
    return false
  if (field !== 'description' && !isOfLot) return true
  return !hasDeadlineAhead(notice) || act === 'deadline-extension' || act === 'correction' || act === 'suspension'
}

function hasDeadlineAhead(notice: Notice): boolean {
  const from = notice.publicationDate ?? notice.dispatchDate
  const deadlines = [notice, ...notice.lots].flatMap((each) => [each.submissionDate, each.participationDate])
  return deadlines.some((deadline) => deadline !== undefined && (from === undefined || deadline > from))
}

const directWords = /transparenz|direkt|freih[äa]ndig|verhandlungsvergabe|einzig/iu
const restrictedWords = /beschr[äa]nkt|§\s*20/iu

function intentionOf(notice: Notice, spoken: Spoken, title: string, description: string): Intention {
  if (spoken.act === 'direct') return 'direct'
  const text = `${title}\n${description}`
  if (restrictedWords.test(text) || /restricted-wo-call/.test(notice.procedureTypeNational ?? '')) return 'restricted'
  return directWords.test(text) ? 'direct' : 'restricted'
}

/** What a cancellation ends: what it says in its own sentence, else in the first sentences that say so. */
function endedBy(spoken: Spoken, { language, title, description }: Texts): Ended {
  const { field, place, isOfLot } = spoken
  const isTitle = field === 'title'
  const first = description.slice(0, firstSentences)
  const { sentence, ended } = sentenceAround(isTitle ? title : description, place!)
  const said = endedLots(sentence, language, ended, isTitle)
  if (!isTitle) return besideKept(said, first, language)
  if (typeof said === 'object') return said.isAside && endsProcedure(first, language) ? 'whole' : said
  const told = endedLotsOfText(first, language, actWordsOf(language).get('cancellation')!)
  if (told !== 'whole' || said === 'some') return told === 'whole' ? said : told
  return isOfLot && !namesAllLots(sentence, language) ? 'some' : besideKept('whole', first, language)
}

/** Whether the first sentences say that the whole ended: lots in the title are then what was bought. */
const endsProcedure = (first: string, language: string): boolean =>
  spokenInText(actWordsOf(language), first, 'description', firstSentences, ['cancellation']) !== undefined &&
  lotNumbersIn(first, language).length === 0

function readingOf(notice: Notice, spoken: Spoken, texts: Texts): ActReading {
  const { rule, field, evidence } = spoken
  const { title, description } = texts
  const words = { rule, field, evidence }
  if (spoken.act === 'direct' || spoken.act === 'restricted')
    return { act: 'ex-ante', intention: intentionOf(notice, spoken, title, description), ...words }
  const of = isPlan(notice) ? ('prior-information' as const) : ('call' as const)
  if (spoken.act === 'correction' || spoken.act === 'deadline-extension' || spoken.act === 'suspension')
    return { act: spoken.act, of, ...words }
  if (spoken.act !== 'cancellation') return { act: spoken.act, ...words }
  const end = isPlan(notice) && !spoken.isOfLot ? 'whole' : endedBy(spoken, texts)
  return { ...actOfEnded(end), ...(end === 'some' && { of }), ...words }
}

/** A sign that is not enough to decide. */
function doubtIn(notice: Notice): ActReading['doubt'] {
  for (const { language, title, description } of textsOf(notice)) {
    const words = actWordsOf(language)
    const found = spokenInTitle(language, title) ?? spokenInText(words, description, 'description')
    if (found) {
      const act = found.act === 'direct' || found.act === 'restricted' ? 'ex-ante' : found.act
      return { act, field: found.field, evidence: found.evidence }
    }
  }
  return undefined
}
