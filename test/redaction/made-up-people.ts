// People who do not exist, the spellings in which docs/privacy.md promises to find them, and texts about somebody else.
// Each has letters and digits of their own, so that a trace of them can be told in any text.
import type { Random } from '../testing/generate/random.ts'

export type MadeUpPerson = {
  readonly name: string
  readonly mail: string
  readonly phone: string
  /** The name from each of its words on, with what stood before after a comma. */
  readonly rotations: readonly string[]
  readonly given: string
  readonly surname: string
}

const given = ['Jane', 'Zoë', 'Jörg', 'Anna Maria', 'Björn-Åke', 'Élodie', 'Søren', 'Marie-Ève', 'Weiß', 'Lukas']
const particles = ['', '', '', 'von der ', 'de la ', "O'", "d'", 'zu ']
const firstParts = ['Müller', 'Roe', 'Größ', 'Håkan', 'Nuñez', 'Tester']
const consonants = 'bdfgklmnprst'
const vowels = 'aeiou'

/** Eight letters that can be spoken, another for each number below 10 million. */
function markOf(number: number): string {
  let rest = number
  let letters = ''
  for (let pair = 0; pair < 4; pair++) {
    letters += consonants[rest % 12]! + vowels[Math.floor(rest / 12) % 5]!
    rest = Math.floor(rest / 60)
  }
  return letters
}

/** The mark is before the letters that tell these people from each other. */
export function madeUpPerson(random: Random, mark: Mark, number: number): MadeUpPerson {
  const own = `${mark}${markOf(number)}`
  const surnameWord = own[0]!.toUpperCase() + own.slice(1)
  const hyphenated = random.chance(0.4) ? `${random.pick(firstParts)}-${surnameWord}` : surnameWord
  const first = random.pick(given)
  const surname = `${random.pick(particles)}${hyphenated}`
  const words = `${first} ${surname}`.split(' ')
  const rotations = words
    .slice(1)
    .map((_, at) => `${words.slice(at + 1).join(' ')}, ${words.slice(0, at + 1).join(' ')}`)
  const digits = String(number).padStart(5, '0')
  return {
    name: words.join(' '),
    mail: `j.${own}-${random.pick(['a', 'b'])}@${random.pick(['stadt-x.example', 'müller.example'])}`,
    phone: `+49 30 ${digitsOf[mark]} ${digits}`,
    rotations,
    given: first,
    surname,
  }
}

/** At the beginning of their numbers. */
const digitsOf = { zq: '90909090', zk: '80808080' } as const
/** Two letters that no other text has. */
export type Mark = keyof typeof digitsOf

const everyChar = (text: string, change: (char: string) => string) => [...text].map(change).join('')
const fullWidth = (text: string) =>
  everyChar(text, (char) => (/[!-~]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 0xfee0) : char))
const inside = (text: string, unseen: string) => text.replace(/(\p{L})(?=\p{L})/gu, `$1${unseen}`)
const umlauts: { readonly [letter: string]: string } = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ø: 'oe', Ö: 'Oe' }

/** Ways of writing the same letters, which are combined with every order of a name, and with a mail address. */
const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize('NFD'),
  (text) => text.replaceAll('-', '\u2010'),
  (text) => text.replaceAll('-', '\u2011'),
  (text) => text.replaceAll('-', '\u2212'),
  (text) => text.replaceAll('-', '\ufe63'),
  (text) => inside(text, '\u00ad'),
  (text) => inside(text, '\u200b'),
  (text) => inside(text, '\u2060\ufeff'),
  (text) => `\u202a${inside(text, '\u200d')}\u202c`,
  fullWidth,
]

const nameWritings: readonly ((text: string) => string)[] = [
  ...writings,
  (text) => text.replaceAll("'", '\u2019'),
  (text) => text.replaceAll("'", '\u02bc'),
  (text) => text.replaceAll('-', ' '),
  (text) => text.replaceAll(' ', '\u00a0'),
  (text) => text.replaceAll(' ', '  '),
  (text) => text.replaceAll(', ', ' '),
  (text) => text.replaceAll(', ', ',\n'),
  (text) => text.replaceAll(' ', '_').replaceAll(',_', ', '),
  (text) => everyChar(text, (char) => umlauts[char] ?? char),
  (text) => text.replace(/[éëåñèÉ]/g, (char) => char.normalize('NFD')[0]!),
]

const mailWritings: readonly ((mail: string) => string)[] = [
  ...writings,
  (mail) => mail.replace('@', '(at)'),
  (mail) => mail.replace('@', ' [at] '),
  (mail) => mail.replace('@', ' @ '),
  (mail) => mail.replace('@', '\uff20'),
  (mail) => `mailto:${mail.replace('@', '%40')}?subject=x`,
  (mail) => `${mail}.Please`,
  (mail) => mail.replace('müller', 'xn--mller-kva'),
]

const phoneWritings: readonly ((phone: string) => string)[] = [
  (phone) => phone,
  (phone) => phone.replace('+49 ', '0'),
  (phone) => phone.replace('+', '00'),
  (phone) => phone.replace('+49 ', '+49 (0)'),
  (phone) => phone.replaceAll(' ', ''),
  (phone) => phone.replace('+49 30 ', '(030) '),
  (phone) => phone.replaceAll(' ', '/'),
  (phone) => phone.replaceAll(' ', '.'),
  (phone) => phone.replaceAll(' ', '-'),
  (phone) => phone.replaceAll(' ', '\u2011'),
  (phone) => phone.replaceAll(' ', ' \u2013 '),
  (phone) => phone.replaceAll(' ', '\u00a0'),
  (phone) => phone.replaceAll(' ', '\n'),
  (phone) => everyChar(phone, (char) => (char === ' ' ? char : `${char}\u200b`)),
  fullWidth,
]

/** Every promised spelling of a person. */
export function spellingsOf({ name, rotations, mail, phone }: MadeUpPerson): readonly string[] {
  const names = [name, ...rotations].flatMap((order) => nameWritings.map((write) => write(order)))
  return [...names, ...mailWritings.map((write) => write(mail)), ...phoneWritings.map((write) => write(phone))]
}

/** Texts about somebody else with the same first name, surname, town, street, host or beginning of a number. */
export function counterTextsOf({ given: first, surname, mail, phone }: MadeUpPerson): readonly string[] {
  const [local, host] = mail.split('@') as [string, string]
  const last = surname.split(/[ -]/).at(-1)!
  return [
    `Ask Quentin ${surname}, who is not ${first}.`,
    `${first} Quast asks for ${surname}.`,
    `${surname}, Quentin`,
    `Works in ${surname}: Quentin ${surname}, ${surname}straße 3, and ${first} Quast`,
    `Quentin ${surname}; ${first} Quast`,
    `Quentin ${surname}\n${first} Quast`,
    `We asked Quentin ${surname}. ${first} Quast answered.`,
    `Quentin ${surname} / ${first} Quast`,
    `${first}-Quentin ${surname}`,
    `${first} ${surname}-Quast`,
    `Quast-${first} ${surname}`,
    `${first}straße 1, ${last}`,
    `${first} ${last}mann`,
    `${last}-${first}-Schule`,
    `q.${local}@${host}`,
    `${local}@q.${host}`,
    `${local}@${host}.uk`,
    `${local}q@${host}`,
    `q-${mail}`,
    `Tel. ${phone}1`,
    `Tel. 1 ${phone.slice(1, -1)}`,
    `Tel. ${phone.slice(0, -1)}`,
    `Invoice ${phone.replace(/\D/g, '')}77`,
  ]
}

/** Only letters and digits, as simple as they can be: what nobody can hide from a reader. */
const squeezed = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/** What can be read of people with this mark in a text, at most ten traces. */
export function tracesIn(text: string, mark: Mark): readonly string[] {
  const letters = squeezed(text)
  const pattern = new RegExp(`${mark}[a-z]{8}|${digitsOf[mark]}\\d{5}`, 'g')
  return (letters.match(pattern) ?? []).slice(0, 10)
}
