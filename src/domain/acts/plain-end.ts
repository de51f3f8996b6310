// Whether a sentence that says that something ended says so of the procedure itself, without a condition, a denial or
// another notice.
import { foldText } from '../name-words.ts'
import { lotWordsOf } from './act-words.ts'
import { type Found, isPhrase, phraseEnd, type Token, tokensOf } from './phrases.ts'

/** Words that deny, ask or set a condition, by language. */
const conditions: { readonly [language: string]: string } = {
  de: 'nicht|keinesfalls|weder|sobald|bis|kein|keine|keiner|falls|sofern|wenn|soweit|würde|könnte|kann|können|vorbehalt|vorbehaltlich',
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
const otherNotice = /\b\d{4}\/S[ -]?\d{3}-\d{6}\b|\b\d{5,8}-20\d\d\b/u
const question = /\?\s*$/u

/** What follows is why it ended, and may deny something else. */
const reasonWords =
  'because|since|due|weil|da|denn|car|parce|perché|poiché|porque|ponieważ|gdyż|omdat|eftersom|fordi|koska|protože|' +
  'pretože|deoarece|mivel|тъй'
const reasons = new RegExp(`(?<!\\p{L})(?:${reasonWords})(?!\\p{L}).*$`, 'isu')

/** What may stand beside the words for the end: who tells it, how, by which law. Any other word may be what ended. */
const beside: { readonly [language: string]: string } = {
  de: `der die das den dem des dieser diese dieses hiermit hierdurch leider bitte beachten sie wir teilen ihnen mit dass
    wird wurde ist worden werden vollständig gesamte gesamten insgesamt ganz gemäß gem nach abs absatz nr satz vgv
    vob a uvgo gwb sektvo auftraggeber auftraggeberin vergabestelle hebt heben`,
  en: `the this of has have been is was hereby please note that we inform you unfortunately entire whole contracting
    authority buyer`,
  fr: 'la le l de du d cette ce présente présent est a été pouvoir adjudicateur acheteur nous vous informons que',
  it: 'la il l di del della questa questo presente è stata stato si comunica che in autotutela stazione appaltante ha',
  es: 'la el de del este esta presente se ha sido es queda que comunica informa órgano contratación',
  pt: 'o a do da este esta presente foi é se que informa comunica',
  nl: 'de het deze dit van is wordt werd hierbij aanbestedende dienst heeft dat',
  pl: 'to niniejsze zostało zostaje o że informuje zamawiający w z',
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

/** Whether all words up to the end of the phrase are its own, lots, numbers, or may stand beside it. */
function isOfProcedure(sentence: string, language: string, { start, end, phrase }: Found): boolean {
  const words = lotWordsOf(language)
  const tokens = tokensOf(sentence, sentence.length)
  const own = new Set(foldText(`${phrase} ${beside[language]}`).split(/[^\p{L}\p{N}\p{M}]+/u))
  const isLot = (at: number) =>
    [words.before, words.many, words.after, words.bare, words.whole, words.and].some((table) =>
      isPhrase(table, tokens, at),
    )
  const isOwn = ({ word }: Token, at: number) =>
    own.has(word) || !/\p{L}/u.test(word) || isPhrase(words.procedure, tokens, at) || isLot(at)
  const last = tokens.findLastIndex((token) => token.start < end)
  const first = tokens.findIndex((token) => token.start >= start)
  // "unieważnia postępowanie": what ended may follow
  const isNamed = tokens
    .slice(first, last + 4)
    .some((_, at) => phraseEnd(words.procedure, tokens, first + at) !== undefined)
  return tokens.slice(0, last + 1).every(isOwn) && isNamed
}

/** False for a language without such words here: its signs stay doubts. `isTitle`: what ended stands beside it. */
export function isPlainEnd(sentence: string, given: string, place: Found, isTitle = false): boolean {
  const language = given === 'nb' || given === 'nn' ? 'no' : given
  const words = conditions[language]
  if (words === undefined) return false
  const isConditional = new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu')
  const said = sentence.slice(0, place.end) + sentence.slice(place.end).replace(reasons, '')
  if (isConditional.test(said) || otherNotice.test(sentence) || question.test(sentence)) return false
  return isTitle || isOfProcedure(sentence, language, place)
}
