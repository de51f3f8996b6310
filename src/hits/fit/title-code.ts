// The CPV code of a tender that states none, from its title: only for German trades whose words say it surely. The
// score alone uses it; no record, filter or hit ever has it as its code.
import { jointWords, spellingsOf, tokensOf } from '../../domain/words.ts'

/** Code, then the beginnings of words that mean it; those after `~` may also stand within a compound. */
const trades: readonly (readonly [code: string, words: string])[] = [
  ['45111000', 'abbrucharbeit rückbauarbeit entkernung ~abbrucharbeit'],
  ['45112000', 'erdarbeit'],
  ['45112700', 'landschaftsbau landschaftsgärtner freianlagenbau außenanlage'],
  ['45223200', 'rohbau baumeisterarbeit'],
  ['45233000', 'straßenbau fahrbahnerneuerung asphaltarbeit deckenerneuerung wegebauarbeit ~straßenbauarbeit'],
  ['45231300', 'kanalbau kanalsanierung wasserleitungsbau'],
  ['45262100', 'gerüst'],
  [
    '45261000',
    'dachdecker dachabdichtung dachsanierung bedachung dacharbeit klempner spengler ~dachdecker ~dachabdichtung',
  ],
  ['45262500', 'maurerarbeit mauerarbeit'],
  ['45262300', 'betonarbeit betoninstandsetzung betonsanierung stahlbetonarbeit estrich'],
  ['45422000', 'zimmerer zimmermann holzbau'],
  ['45310000', 'elektroinstallation elektroarbeit starkstrom blitzschutz ~elektroinstallation'],
  ['45331000', 'heizungsinstallation heizungsbau heizungsarbeit lüftungsinstallation lüftungsarbeit raumlufttechnik'],
  ['45332000', 'sanitärinstallation sanitärarbeit sanitärtechnik'],
  ['45320000', 'dämmarbeit wärmedämm'],
  ['45410000', 'putzarbeit innenputz außenputz verputz stuckateur stukkateur'],
  [
    '45421000',
    'tischlerarbeit schreinerarbeit fensterbauarbeit fensterarbeit trockenbau metallbauarbeit ~trockenbauarbeit',
  ],
  ['45430000', 'bodenbelag fliesen parkettarbeit natursteinarbeit bodenleger'],
  ['45440000', 'malerarbeit malerlos anstricharbeit anstreicherarbeit lackierarbeit tapezier'],
  ['90910000', 'unterhaltsreinigung glasreinigung gebäudereinigung grundreinigung baureinigung bauendreinigung'],
  ['90620000', 'winterdienst schneeräum'],
  ['90500000', 'abfallentsorgung müllabfuhr sperrmüll restabfall bioabfall'],
  ['77300000', 'grünpflege baumpflege grünflächenpflege baumfäll ~grünpflege'],
  ['77200000', 'holzernte holzrückung'],
  ['79710000', 'sicherheitsdienst wachdienst objektschutz bewachung'],
  ['60130000', 'schülerbeförderung schülerverkehr'],
  ['55520000', 'schulverpflegung mittagsverpflegung essensversorgung'],
  ['34144200', 'löschfahrzeug löschgruppenfahrzeug tragkraftspritzenfahrzeug drehleiter'],
  ['39160000', 'schulmöbel'],
  ['09310000', 'stromlieferung'],
]
/**
 * What plans, checks, maintains, rents, buys or teaches a trade is none of it, and a road agency's name says nothing:
 * beginnings of words, then parts of them.
 */
const otherBeginnings =
  /^(?:ingenieur|architekt|lieferung|hoai|lph|arbeitnehmer|gutacht|beratung|bauleitung|projektsteuer|miet)/
const furtherBeginnings =
  /^(?:kauf|ankauf|erwerb|beschaffung|erprobung|schulung|software|lizenz|ausbildung|landesbetrieb|nachtrag|nt$)/
const otherParts = /plan(?:ung|er)|(?:ue|u)berwachung|wartung|pru(?:e)?fung|inspektion/
const isOtherKind = (token: string): boolean =>
  [otherBeginnings, furtherBeginnings, otherParts].some((pattern) => pattern.test(token))

const beginnings = trades.flatMap(([code, words]) =>
  words
    .split(' ')
    .flatMap((word) =>
      spellingsOf(word.replace('~', '')).map((spelling) => ({ code, spelling, isWithin: word.startsWith('~') })),
    ),
)

/** Undefined where the title names no known trade, or trades of several groups of codes. */
export function codeOfTitle(title: string): string | undefined {
  const tokens = [...tokensOf(title), ...jointWords(title)]
  if (tokens.some(isOtherKind)) return undefined
  const codes = new Set<string>()
  for (const token of tokens)
    for (const { code, spelling, isWithin } of beginnings)
      if (isWithin ? token.includes(spelling) : token.startsWith(spelling)) codes.add(code)
  const [first, ...others] = codes
  if (first === undefined || others.some((code) => !code.startsWith(first.slice(0, 3)))) return undefined
  return others.length === 0 ? first : first.slice(0, 3).padEnd(8, '0')
}
