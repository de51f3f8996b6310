// What the word index keeps of a record besides its words: codes that facets count, and the deadline.
import { createHash } from 'node:crypto'
import { firstDeadline } from '#flat/record/first-deadline'
import { buyersOf } from '../../domain/buyers.ts'
import { isCompany, winnersOf } from '../../domain/companies/companies.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import { identifierOf } from '../../domain/organization-identity.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { affixLength, authorityKey, tokensOf } from '../../domain/words.ts'
import { columnsOf } from './record-columns.ts'
import { valueBands } from './value-bands.ts'

/** The first letter of a code says what it is about; nothing behind it: none is known. */
export const codeGroup = {
  status: 's',
  division: 'd',
  country: 'c',
  region: 'r',
  value: 'v',
  month: 'm',
  /** An authority by its name. */
  buyer: 'b',
  /** An authority by its national id. */
  identifier: 'i',
} as const

const keyHash = (text: string): string =>
  createHash('sha256').update(authorityKey(text)).digest('base64url').slice(0, 11)

/** The code of the buyers with this name; names are hashed, so that the index does not name anybody. */
export const buyerCode = (name: string): string => codeGroup.buyer + keyHash(name)
/** The code of the buyers with this national id. */
export const identifierCode = (id: string): string => codeGroup.identifier + keyHash(id)

/** The codes of a record without duplicates, the status first, those of a group together. */
export function codesOf(record: TenderRecord): string[] {
  const { publication, eurValue, cpv } = columnsOf(record)
  const nuts = record.nutsCodes.flatMap((text) => toNutsCode(text) ?? [])
  const codes = new Set([codeGroup.status + record.status])
  const add = (group: string, values: readonly string[]) => {
    for (const value of values.length === 0 ? [''] : values) codes.add(group + value)
  }
  add(
    codeGroup.division,
    cpv.map((code) => String(Math.trunc(code / 1e6)).padStart(2, '0')),
  )
  add(
    codeGroup.country,
    nuts.map((code) => code.slice(0, 2)),
  )
  add(
    codeGroup.region,
    nuts.filter(({ length }) => length > 2).map((code) => code.slice(0, 3)),
  )
  add(codeGroup.value, bandsOf(eurValue))
  add(codeGroup.month, Number.isNaN(publication) ? [] : [new Date(publication).toISOString().slice(0, 7)])
  const buyers = buyersOf(record)
  for (const { name } of buyers) codes.add(buyerCode(name))
  for (const buyer of buyers) if (identifierOf(buyer) !== undefined) codes.add(identifierCode(buyer.nationalId!))
  return [...codes]
}

const bandsOf = (value: number): string[] =>
  valueBands.flatMap(({ min, max }, index) =>
    value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY) ? [String(index)] : [],
  )

/** The deadline that a bidder meets first, epoch ms; NaN for none. */
export const deadlineOf = (record: TenderRecord): number => Date.parse(firstDeadline(record)?.at ?? '')

/** The texts in which words are searched: all that saved searches read. */
export function* textsOf(record: TenderRecord): Generator<{ readonly text: string; readonly isTitle: boolean }> {
  const parts = [record, ...Object.values(record.translations ?? {})]
  for (const { title, description } of parts) {
    if (title !== undefined) yield { text: title, isTitle: true }
    if (description !== undefined) yield { text: description, isTitle: false }
  }
  for (const { title, description } of record.lots) {
    if (title !== undefined) yield { text: title, isTitle: false }
    if (description !== undefined) yield { text: description, isTitle: false }
  }
}

/** Marks in the index around what is no word of a text: it is neither the beginning nor the end of one. */
const [nameMark, identifierMark] = ['=', '#']
const winnerWord = (token: string): string => nameMark + token + nameMark
/** What finds a word of a company's name, or its beginning if it is given in four letters or more. */
export const winnerWordBegins = (spelling: string): string =>
  spelling.length + 1 < affixLength ? winnerWord(spelling) : nameMark + spelling
/** A company's identifier (`identifierOf`). */
export const winnerIdentifier = (identifier: string): string => identifierMark + identifier + identifierMark

/** What the index has of the winners that are companies. */
export const winnerWordsOf = (record: TenderRecord): string[] =>
  winnersOf(record)
    .filter(isCompany)
    .flatMap((winner) => {
      const identifier = identifierOf(winner)
      return [...tokensOf(winner.name).map(winnerWord), ...(identifier ? [winnerIdentifier(identifier)] : [])]
    })
