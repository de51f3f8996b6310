// Whether a sentence that says that something ended says so without a condition, a denial or another notice.

/** Words that deny, ask or set a condition, by language. */
const conditions: { readonly [language: string]: string } = {
  de: 'nicht|kein|keine|keiner|falls|sofern|wenn|soweit|würde|könnte|kann|können|vorbehalt|vorbehaltlich',
  en: 'not|no|if|unless|should|may|might|could|would|can',
  fr: 'pas|ni|si|sauf|peut|pourra|pourrait|serait',
  it: 'non|se|qualora|salvo|può|potrà|potrebbe|sarebbe',
  es: 'no|si|salvo|puede|podrá|podría|sería',
  pt: 'não|caso|salvo|pode|poderá|poderia|seria',
  nl: 'niet|geen|indien|als|tenzij|kan|kunnen|zou',
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

/** `end` is where the words that say so end. False for a language without such words here: its signs stay doubts. */
export function isPlainEnd(sentence: string, language: string, end: number): boolean {
  const words = conditions[language === 'nb' || language === 'nn' ? 'no' : language]
  if (words === undefined) return false
  const isConditional = new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu')
  const said = sentence.slice(0, end) + sentence.slice(end).replace(reasons, '')
  return !isConditional.test(said) && !otherNotice.test(sentence) && !question.test(sentence)
}
