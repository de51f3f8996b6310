// Legal forms in names: what tells a company from a person who trades under their own name.

/** Letters that Unicode does not decompose. */
const plainLetters: { readonly [letter: string]: string } = {
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ø: 'o',
  ħ: 'h',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}
const abbreviation = /(?<![\p{L}\p{N}])(?:\p{L}\.\s?){2,}/gu

/** A name in small plain letters; `S. L.` is one word. */
export function plainName(name: string): string {
  const joined = name.replace(abbreviation, (letters) => `${letters.replace(/[.\s]/g, '')} `)
  return joined.toLowerCase().replace(/[łđðøħıæœþ]/g, (letter) => plainLetters[letter]!)
}

const wordList = (text: string): string[] => text.split(/\s+/).filter(Boolean)

/** Forms by which names of companies are told from remarks. */
const commonForms = new Set(
  wordList(`gmbh mbh kg ag sa sas sasu sarl eurl srl srls spa sl slu sll ltd limited llc llp plc inc corp bv nv oy oyj ab
    aps kft zrt bt sro doo dooel ood eood ead spzoo zoo lda ltda unip eireli ehf sia uab ike epe тов ооо оод еоод еад доо
    дооел`),
)
export const hasLegalForm = (words: readonly string[]): boolean => words.some((word) => commonForms.has(word))

/** Forms that are also parts of other words or names: they count as the first or the last word only. */
const shortForms = new Set(
  wordList(`as asa ad ae se scs snc sca sau ks ug ohg kgaa eg ev vof cv ou as ans da hf mb vs ooo ao at ад ат ао зао оао пат
    прат пп дп тзов αε εε οε επε ικε`),
)
const longForms = new Set(
  wordList(`aktiengesellschaft kommanditgesellschaft genossenschaft ggmbh gmbhcokg aktiebolag aktieselskab aksjeselskap
    osakeyhtio anpartsselskab sociedad societe societa sociedade spolka spolecnost spolocnost druzstvo tarsasag
    naamloze besloten incorporated corporation cooperativa cooperative consorzio stiftung foundation association
    osauhing aktsiaselts reszvenytarsasag sprl selarl selas stichting товариство дружество општество предузеће εταιρεια`),
)
const formsOfWords =
  /gesellschaft mit beschrankter haftung|sp(?:olka)? z ?o ?o\b|spolka|s ?r ?o\b|d ?o ?o\b|public limited|s ?p ?a\b|s coop|e ?g ?m ?b ?h/
/** Who trades under their own name, and partnerships that consist of such people. */
const personWords = [
  'ek|ekfm|ekfr|einzelunternehmen|einzelunternehmer|inh|inhaber|inhaberin|gbr|trading as|t a|sole trader|фоп|ип|ет',
  'jdg|dzialalnosc gospodarcza|ditta individuale|autonomo|entreprise individuelle|ei|enk|zzp|eenmanszaak',
]
const persons = new RegExp(`(?:^| )(?:${personWords.join('|')})(?: |$)`)

/** Whether a name says that a legal person has it: what it has is a legal form, not only a person's name. */
export function saysLegalPerson(name: string): boolean {
  const words = foldName(name)
  const text = words.join(' ')
  if (persons.test(text)) return false
  const [first = '', last = ''] = [words[0], words.at(-1)]
  return (
    hasLegalForm(words) ||
    words.some((word) => longForms.has(word)) ||
    shortForms.has(first) ||
    shortForms.has(last) ||
    formsOfWords.test(text)
  )
}

const foldName = (name: string): string[] =>
  plainName(name)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss')
    .match(/[\p{L}\p{N}]+/gu) ?? []
