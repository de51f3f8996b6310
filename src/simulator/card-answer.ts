// Answers as a card describes them, and the values that a card iterates over.
import type { Delivery, Each, Entries, Template } from '../sources/delivery.ts'
import { type PointerValue, writeAnswer } from './answer-shape.ts'
import { valueAt, writeListing } from './listing.ts'
import type { Asked, PortalAnswer } from './portal-answer.ts'
import type { Filled } from './request-pattern.ts'
import { seeded } from './samples/seeded.ts'
import type { ShelfEntry } from './shelf.ts'

/** Entries that the portal shows at a given time, oldest first. */
export type Visible = (now: number) => readonly ShelfEntry[]

type ListedEach = Extract<Each, { list: Template }>

/** Values that a card iterates over when the portal lists them. */
const listedKeys = ['1', '2']

/** In a page for people, these are what its pattern finds. */
function listedValues(each: ListedEach): readonly string[] {
  return listedKeys.map(
    (key) => valueAt(each.entries, writeListing(each.entries, [{ at: each.at, value: key }], key), each.at) ?? key,
  )
}

export function eachOf(delivery: Delivery): readonly Each[] {
  if (delivery.kind === 'own' || !delivery.each) return []
  return Array.isArray(delivery.each) ? (delivery.each as readonly Each[]) : [delivery.each as Each]
}

export function eachAnswer(each: ListedEach, asked: Asked): Promise<PortalAnswer> {
  const documents = listedKeys.map((value) => writeListing(each.entries, [{ at: each.at, value }], value))
  const pointerValues = each.pages === undefined ? [] : [{ at: each.pages, value: 1 }]
  return writtenAnswer(each.entries, documents, asked.request.url.href, undefined, pointerValues)
}

/** Each entry belongs to one of the values, chosen by its ID. */
export function belongs(delivery: Delivery, filled: Filled, entry: ShelfEntry): boolean {
  return eachOf(delivery).every((each) => {
    const given = filled.texts.get(each.name)
    if (given === undefined) return true
    const values = 'values' in each ? each.values.map(String) : listedValues(each)
    return values[seeded(`${each.name}|${entry.noticeId}`).whole(0, values.length - 1)] === given
  })
}

/** An answer with the entries as the card expects them; `asked` allows faults in their content. */
export async function writtenAnswer(
  entries: Entries,
  documents: readonly string[],
  address: string,
  asked: Asked | undefined,
  pointerValues: readonly PointerValue[],
  {
    isOne = false,
    isBare = false,
    head,
  }: { readonly isOne?: boolean; readonly isBare?: boolean; readonly head?: string | undefined } = {},
): Promise<PortalAnswer> {
  const inner = entries.format === 'archive' ? entries.inside : entries
  const isXml = inner?.format === 'xml'
  const broken = {
    name: isXml ? 'broken.xml' : 'broken.json',
    bytes: Buffer.from(isXml ? '<notice><id>1</id><ti' : '{"ocid":"ocds-x00000-1","id":"1","ta'),
  }
  const isArchive = entries.format === 'archive'
  const canBreak = isArchive && asked !== undefined
  const spoiled = [
    ...(canBreak && asked.happens('broken-member') ? [broken] : []),
    ...(canBreak && asked.happens('nul-bytes')
      ? [{ name: `nul-${broken.name}`, bytes: Buffer.from('{"ocid":"\u0000","id":\u0000}') }]
      : []),
  ]
  const hasNul = entries.format === 'json' && documents.length > 1 && asked?.happens('nul-bytes')
  const isJunk = entries.format === 'json' && documents.length > 1 && !isOne && asked?.happens('broken-member')
  const { body, type, headers } = await writeAnswer(entries, {
    documents,
    pointerValues,
    isOne,
    isBare,
    ...(head !== undefined && { head }),
    address,
    publishedAt: new Date(asked?.now ?? 0).toISOString(),
    spoiled,
    ...((hasNul || isJunk) && { between: `${hasNul ? '\u0000' : ''}${isJunk ? 'null,' : ''}` }),
  })
  return { status: 200, type, body, headers }
}
