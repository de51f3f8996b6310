// A day's and a month's package of TED, made from the corpus' eForms: as many notices as a real day has, in the scratch
// folder, never kept.
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { readPath } from '../src/sources/files.ts'

export type TedPackage = {
  readonly path: string
  readonly notices: number
  readonly packedBytes: number
  readonly unpackedBytes: number
}

/** A day of the journal, and the first publication number in it. */
export type TedDay = { readonly day: string; readonly issue: number; readonly first: number }

/** The corpus' notices as TED publishes them today: eForms with a publication number. */
export async function corpusNotices(corpus: string): Promise<string[]> {
  const texts: string[] = []
  for await (const { bytes, unreadable } of readPath(join(corpus, 'ted-eforms'))) {
    if (unreadable || bytes[0] !== 0x3c) continue
    // as latin1 every byte stays unchanged
    const text = Buffer.from(bytes).toString('latin1')
    if (text.includes('NoticePublicationID')) texts.push(text)
  }
  return texts
}

/**
 * Packs `count` notices as the package of a day. Each has a unique publication number, notice ID and day; the rest is
 * an unchanged corpus notice. With `filesFolder` the notices are also written there as files.
 */
export async function writeDay(
  texts: readonly string[],
  { day, issue, first }: TedDay,
  { path, count, filesFolder }: { readonly path: string; readonly count: number; readonly filesFolder?: string },
): Promise<TedPackage> {
  if (filesFolder !== undefined) mkdirSync(filesFolder, { recursive: true })
  let unpackedBytes = 0
  const tar = pack()
  const writing = pipeline(tar, createGzip({ level: 6 }), createWriteStream(path))
  for (let index = 0; index < count; index++) {
    const serial = String(first + index).padStart(8, '0')
    const bytes = Buffer.from(renumbered(texts[index % texts.length]!, serial, day), 'latin1')
    unpackedBytes += bytes.length
    if (filesFolder !== undefined) writeFileSync(join(filesFolder, `${serial}.xml`), bytes)
    const folder = `${day.replaceAll('-', '')}_${String(issue).padStart(3, '0')}`
    await add(tar, `${folder}/${serial}_${day.slice(0, 4)}.xml`, bytes)
  }
  tar.finalize()
  await writing
  return { path, notices: count, packedBytes: (await stat(path)).size, unpackedBytes }
}

/** Packs packages of days as the package of their month. */
export async function writeMonth(
  days: readonly (TedDay & { readonly packed: TedPackage })[],
  path: string,
): Promise<TedPackage> {
  const tar = pack()
  const writing = pipeline(tar, createGzip({ level: 1 }), createWriteStream(path))
  for (const { day, issue, packed } of days)
    await add(tar, `${day.slice(5, 7)}/${day.replaceAll('-', '')}_${issue}.tar.gz`, await readFile(packed.path))
  tar.finalize()
  await writing
  const sum = (of: (each: TedPackage) => number) => days.reduce((total, { packed }) => total + of(packed), 0)
  return {
    path,
    notices: sum((each) => each.notices),
    packedBytes: (await stat(path)).size,
    unpackedBytes: sum((each) => each.unpackedBytes),
  }
}

function add(tar: Pack, name: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry({ name }, bytes, (error) => (error ? reject(error) : resolve()))
  })
}

function renumbered(text: string, serial: string, day: string): string {
  return text
    .replace(/(NoticePublicationID[^<>]*>\s*)\d{1,8}-\d{4}/, `$1${serial}-${day.slice(0, 4)}`)
    .replace(/(NoticePublicationID[\s\S]{0,500}?PublicationDate[^<>]*>\s*)\d{4}-\d{2}-\d{2}/, `$1${day}`)
    .replace(/(<cbc:ID schemeName="notice-id">)[0-9a-f]{8}/i, `$1${serial}`)
    .replace(/(<cbc:ContractFolderID>)[0-9a-f]{8}/i, `$1${serial}`)
}
