// Whether a sentence that says that something ended says so of the procedure itself, without a condition, a denial or
// another notice.
import { foldText } from '../name-words.ts'
import { lotWordsOf } from './act-words.ts'
import { type Found, isPhrase, phraseEnd, type Token, tokensOf } from './phrases.ts'

/** Words that deny, ask or set a condition, by language. */
const conditions: { readonly [language: string]: string } = {
  de: 'nicht|keinesfalls|weder|sobald|bis|kein|keine|keiner|falls|sofern|wenn|soweit|vorbehalten|würde|könnte|kann|können|vorbehalt|vorbehaltlich',
  en: 'not|no|neither|until|once|if|unless|should|may|might|could|would|can',
  fr: 'pas|ni|dès|si|sauf|peut|pourra|pourrait|serait',
  it: 'non|né|se|qualora|salvo|può|potrà|potrebbe|sarebbe',
  es: 'no|ni|si|hasta|salvo|puede|podrá|podría|sería',
  pt: 'não|caso|salvo|pode|poderá|poderia|seria',
  nl: 'niet|geen|zodra|indien|als|tenzij|kan|kunnen|zou',
  pl: 'nie|jeżeli|jeśli|gdy|może|mógłby|byłoby',
  sv: 'inte|ej|om|kan|skulle|såvida',
  da: 'ikke|hvis|såfremt|medmindre|kan|ville',
  no: 'ikke|hvis|dersom|med mindre|kan|ville',
  fi: 'ei|eikä|jos|mikäli|voidaan|voi',
  cs: 'ne|není|nebylo|nebyla|pokud|jestliže|může|mohlo',
  sk: 'nie|nebolo|nebola|ak|pokiaľ|môže|mohlo',
  ro: 'nu|dacă|poate|ar',
  hu: 'nem|ha|amennyiben|lehet',
  bg: 'не|ако|може|би',
}
/** Takes an end back, in any sentence of a change: "Dies war ein Irrtum." */
const takenBack = new RegExp(
  `(?<!\\p{L})(?:${[
    'irrtum|irrtüml\\p{L}*|versehen|versehentlich|zurückgenommen|läuft weiter|fortgesetzt|fortgeführt|nichtig|entfällt',
    'in error|an error|by mistake|a mistake|erroneous\\p{L}*|mistakenly|continues?|resume[sd]?|reinstated|remains open',
    'par erreur|une erreur|reprend|se poursuit|maintenue?|per errore|un errore|prosegue|riprende',
    'por error|un error|continúa|se reanuda|por erro|um erro|continua|retomad[oa]',
    'vergissing|abusievelijk|hervat|gaat door|loopt door|omyłk\\p{L}*|pomyłk\\p{L}*|błędnie|kontynuowan\\p{L}*',
    'misstag|av misstag|fortsätter|ved en fejl|fortsætter|ved en feil|fortsetter|virhe\\p{L}*|jatkuu',
    'omyl\\p{L}*|pokračuje|din eroare|continuă|téved\\p{L}*|folytatód\\p{L}*|по грешка|продължава',
  ].join('|')})(?!\\p{L})`,
  'iu',
)
const otherNotice = /\b\d{4}\/S[ -]?\d{3}-\d{6}\b|\b\d{5,8}-20\d\d\b/u
const question = /\?\s*$/u

/** What follows is why it ended, and may deny something else. */
const reasonWords =
  'because|since|due|weil|da|denn|car|parce|perché|poiché|porque|ponieważ|gdyż|omdat|eftersom|fordi|koska|protože|' +
  'pretože|deoarece|mivel|тъй|wegen|mangels|aufgrund|faute|pour motif|pour cause|por falta|wegens|ze względu'
const reasons = new RegExp(`(?<!\\p{L})(?:${reasonWords})(?!\\p{L}).*$`, 'isu')

/** What may stand beside the words for the end: who tells it, how, by which law. Any other word may be what ended. */
const beside: { readonly [language: string]: string } = {
  de: `der die das den dem des dieser diese dieses hiermit hierdurch leider bitte beachten sie wir teilen ihnen mit dass
    wird wurde ist worden werden vollständig gesamte gesamten insgesamt ganz gemäß gem nach abs absatz nr satz vgv vob a
    uvgo gwb sektvo auftraggeber auftraggeberin vergabestelle hebt heben am vom sofortiger wirkung`,
  en: `the this of has have been is was hereby now please note that we inform you unfortunately entire whole contracting
    authority buyer`,
  fr: `la le l de du d cette ce présente présent est a été pouvoir adjudicateur acheteur nous vous informons que décidé
    déclarer`,
  it: 'la il l di del della questa questo presente è stata stato si comunica che in autotutela stazione appaltante ha',
  es: 'la el de del este esta presente se ha sido es queda que comunica informa órgano contratación',
  pt: 'o a do da este esta presente foi é se que informa comunica',
  nl: 'de het deze dit van is wordt werd hierbij aanbestedende dienst heeft dat',
  pl: `to niniejsze zostało zostaje o że informuje zamawiający w z na podstawie art pkt ust ustawy pzp`,
  sv: 'den denna har är blir av härmed att upphandlande myndighet',
  da: 'det dette er bliver blev hermed at ordregiver har',
  no: 'den denne er blir ble herved at oppdragsgiver har',
  fi: 'tämä on että hankintayksikkö',
  cs: 'toto je bylo že zadavatel o',
  sk: 'toto je bolo že obstarávateľ verejný verejné o',
  ro: 'de a al fost este se prezenta că autoritatea contractantă atribuire licitație',
  hu: 'az a ezt jelen ajánlatkérő',
  bg: 'е беше се тази настоящата възложителят',
}

/** Before the cause of an end: it may have any words. */
const causes =
  'wegen|mangels|aufgrund|aus(?= (?:anderen|wichtig|schwer))|due to|pour motif|faute de|per motivi|por falta|wegens|ze względu'
const causeFirst = new RegExp(`^\\W*(?:${causes})(?!\\p{L})[^,]*,`, 'iu')
const causeAmong = new RegExp(`(?<!\\p{L})(?:${causes})(?!\\p{L})`, 'iu')

const monthsOf = (language: string): string =>
  Array.from({ length: 12 }, (_, month) =>
    new Date(Date.UTC(2026, month)).toLocaleDateString(language, { day: 'numeric', month: 'long', timeZone: 'UTC' }),
  ).join(' ')

const wordsIn = (text: string): string[] => foldText(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/**
 * Whether the sentence is of the procedure and of nothing else: besides the phrase it has a noun for the procedure,
 * lots, numbers, a cause, and words that may stand beside. `hasLots`: the end was read as an end of lots.
 */
function isOfProcedure(sentence: string, language: string, { start, end, phrase }: Found, hasLots: boolean): boolean {
  const words = lotWordsOf(language)
  const begin = causeFirst.exec(sentence)?.[0].length ?? 0
  const cause = causeAmong.exec(sentence.slice(start, end))
  const tokens = tokensOf(sentence, sentence.length).filter((token) => token.start >= begin)
  const own = new Set(wordsIn(`${phrase} ${beside[language]} ${monthsOf(language)}`))
  const isLot = (at: number) =>
    [words.before, words.many, words.after, words.bare].some((table) => isPhrase(table, tokens, at))
  const isProcedure = (at: number) => phraseEnd(words.procedure, tokens, at) !== undefined
  const isOwn = ({ word, start: from }: Token, at: number) =>
    own.has(word) ||
    !/\p{L}/u.test(word) ||
    isProcedure(at) ||
    (hasLots && [words.whole, words.and].some((table) => isPhrase(table, tokens, at))) ||
    (cause !== null && from >= start + cause.index && from < end)
  return (
    tokens.every((token, at) => (isLot(at) ? hasLots : isOwn(token, at))) && tokens.some((_, at) => isProcedure(at))
  )
}

/** Whether a word for the end stands twice, as in the end of an end. */
function isTwice(sentence: string, language: string, { phrase }: Found): boolean {
  const plain = new Set(wordsIn(beside[language] ?? ''))
  const own = new Set(wordsIn(phrase).filter((word) => !plain.has(word)))
  const tokens = tokensOf(sentence, sentence.length)
  const { procedure } = lotWordsOf(language)
  const found = tokens.filter(({ word }, at) => own.has(word) && !isPhrase(procedure, tokens, at))
  return new Set(found.map(({ word }) => word)).size < found.length
}

/** What the words that end something are in, and what they were read as. `all`: everything that the change says. */
type End = Found & { readonly hasLots: boolean; readonly isTitle: boolean; readonly all: string }

/** False for a language without such words here: its signs stay doubts. In a title, what ended stands beside them. */
export function isPlainEnd(sentence: string, given: string, place: End): boolean {
  const language = given === 'nb' || given === 'nn' ? 'no' : given
  const words = conditions[language]
  if (words === undefined) return false
  const isConditional = new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu')
  const said = sentence.slice(0, place.end) + sentence.slice(place.end).replace(reasons, '')
  if (isConditional.test(said) || otherNotice.test(sentence) || question.test(sentence)) return false
  if (takenBack.test(place.all) || isTwice(sentence, language, place)) return false
  return place.isTitle || isOfProcedure(said, language, place, place.hasLots)
}
