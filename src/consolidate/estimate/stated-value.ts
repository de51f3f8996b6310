// Values that a text states explicitly. Only phrases about the contract's own value count, with a currency.
import type { Money } from '../../domain/notice.ts'

/** A value that is in the text. `isMaximum`: the most that may be called off. `quote`: where, for the basis. */
export type StatedValue = Money & { readonly isMaximum: boolean; readonly quote: string }

/**
 * Phrases after which an amount is the value of the contract, by language: de, fr, it, es, pl, nl, en, pt. Building
 * costs, revenues, insurances and guarantees are other amounts, and no phrase here.
 */
const estimates = [
  'gesch[äa]e?tzte[rn]? ' +
    '(?:gesamt)?(?:netto-?)?(?:auftragswert|auftragssumme|auftragsvolumen|vertragswert|wert (?:des ' +
    'auftrags|der rahmenvereinbarung|der leistung))',
  '(?:gesamt)?auftragswert(?: der rahmenvereinbarung)? (?:wird auf|beläuft sich auf|beträgt)',
  '(?:montant|valeur) (?:total[e]? )?estim[ée]e?(?: du marché| de l.accord-cadre| hors tva)?',
  'valore (?:totale )?stimato(?: dell.appalto)?',
  'valor (?:total )?estimado(?: del contrato| do contrato)?',
  '(?:szacunkowa|szacowana) warto[śs][ćc](?: zam[óo]wienia)?',
  'geraamde (?:totale )?(?:waarde|opdrachtwaarde)',
  'estimated (?:total )?(?:contract )?value(?: of the (?:contract|framework(?: agreement)?))?',
]
const maxima = [
  'h(?:ö|oe)chst(?:auftrags)?wert(?: der rahmenvereinbarung)?',
  'maximale[rn]? (?:gesamt)?auftragswert',
  'montant maximum(?: du marché| de l.accord-cadre)?',
  'valore massimo(?: dell.accordo quadro)?',
  'valor máximo(?: del acuerdo marco| do acordo-quadro)?',
  'maximum (?:total )?value of the (?:contract|framework(?: agreement)?)',
]

const currencies: { readonly [written: string]: string } = {
  '€': 'EUR',
  eur: 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  teur: 'EUR',
  '£': 'GBP',
  gbp: 'GBP',
  zł: 'PLN',
  pln: 'PLN',
  chf: 'CHF',
  nok: 'NOK',
  sek: 'SEK',
  dkk: 'DKK',
  czk: 'CZK',
}
const currency = '€|£|t?eur|euros?|zł|gbp|pln|chf|nok|sek|dkk|czk'
const scale = 'mrd\\.?|mio\\.?|millionen|millions?|milioni|millones|mln\\.?|tsd\\.?|tausend'
const amount =
  '(?<number>\\d{1,3}(?:[ ' +
  `.,’'\\u00a0\\u202f]\\d{3})+(?:[.,]\\d{1,2})?|\\d+(?:[.,]\\d{1,3})?)(?:,-+|,–)?\\s*(?<scale>${scale})?\\s*(?<unit>${currency})(?!\\p{L})`
/** What may be between phrase and amount: no digits, and no word that makes it a limit of something else. */
const between = '(?<between>[^\\d\\n.;]{0,48}?(?:ca\\.|rd\\.|max\\.|i\\. ?h\\. ?v\\.)?[^\\d\\n.;]{0,24}?)'
const pattern = (phrases: readonly string[]) =>
  new RegExp(`(?<before>[^\\n.]{0,30})(?:${phrases.join('|')})${between}${amount}(?<after>[^\\n.;]{0,40})`, 'giu')
const patterns = [
  { isMaximum: false, expression: pattern(estimates) },
  { isMaximum: true, expression: pattern(maxima) },
]

const otherWords = [
  'ab|über|unter|größer|bis zu einem|ab einem|überschreit\\p{L}*|unterschreit\\p{L}*|je|pro|jährlich\\p{L}*',
  'einzel\\p{L}*|los|lot|perceel|lotto|lote|per|par an|annuel\\p{L}*|annual\\p{L}*|if|exceed\\p{L}*',
  'supérieur\\p{L}*|superiore|wenn|sofern|mehr als|more than|monat\\p{L}*|jahr',
]
/** A rule about some contracts, one lot or one call-off, or an amount per time: not the value of this tender. */
const otherAmount = new RegExp(`(?:^|[^\\p{L}])(?:${otherWords.join('|')})(?![\\p{L}])|[<>]|&[gl]t;`, 'iu')
const gross = /brutto|inkl\.? ?(?:\d+ ?% ?)?(?:mwst|ust)|ttc|toutes taxes|iva inclu|incl\.? (?:vat|btw)|including vat/i

/** Standard rates of value-added tax, for amounts that are stated with it. */
const taxRates: { readonly [country: string]: number } = {
  AT: 0.2,
  BE: 0.21,
  CH: 0.081,
  DE: 0.19,
  ES: 0.21,
  FR: 0.2,
  GB: 0.2,
  IT: 0.22,
  NL: 0.21,
  PL: 0.23,
  PT: 0.23,
}

function numberOf(text: string): number {
  const decimals = /[.,](\d{1,2})$/.exec(text)
  const isGrouped = /\d[ .,’'\u00a0\u202f]\d{3}(?:\D|$)/.test(text)
  if (!isGrouped && !decimals) return Number(text.replace(',', '.'))
  const whole = (decimals ? text.slice(0, decimals.index) : text).replace(/\D/g, '')
  return Number(decimals ? `${whole}.${decimals[1]}` : whole)
}

const factors: readonly (readonly [RegExp, number])[] = [
  [/^mrd/i, 1e9],
  [/^(?:mio|mill|mln|milioni)/i, 1e6],
  [/^(?:tsd|tausend)/i, 1e3],
]

/**
 * The one value that the text states, without VAT; an estimate before a maximum. Undefined if there is none, or if it
 * states several (they belong to lots, or to variants). `country` determines the tax rate of amounts with VAT.
 */
export function statedValue(text: string, country: string | undefined): StatedValue | undefined {
  for (const { isMaximum, expression } of patterns) {
    const found: StatedValue[] = []
    for (const match of text.matchAll(expression)) {
      const {
        before = '',
        between: middle = '',
        number = '',
        scale: scaleWord = '',
        unit = '',
        after = '',
      } = match.groups ?? {}
      if (otherAmount.test(before) || otherAmount.test(middle) || otherAmount.test(after)) continue
      const thousands = unit.toLowerCase() === 'teur' ? 1000 : 1
      const factor = (factors.find(([word]) => word.test(scaleWord))?.[1] ?? 1) * thousands
      const isGross = gross.test(middle) || gross.test(after)
      const tax = isGross ? taxRates[country ?? ''] : 0
      if (tax === undefined) continue
      const value = Math.round((numberOf(number) * factor) / (1 + tax))
      if (value < 1000 || value > 1e9) continue
      const quote = match[0]
        .slice(before.length, match[0].length - after.length)
        .replace(/\s+/g, ' ')
        .trim()
      found.push({ value, currency: currencies[unit.toLowerCase()]!, isMaximum, quote })
    }
    const [first] = found
    if (first && found.every(({ value, currency: other }) => value === first.value && other === first.currency))
      return first
    if (first) return undefined
  }
  return undefined
}
