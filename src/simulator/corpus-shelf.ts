// A shelf of real notices, from a folder of collected ones (`../shared/corpus`): for tests and trials, never part of
// the program.
import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseDate } from '../domain/time.ts'
import { OperatorError } from '../platform/errors.ts'
import { type ReceivedDocument, readPath } from '../sources/files.ts'
import type { Source } from '../sources/source.ts'
import type { ArchiveMember } from './archive-writers.ts'
import { releaseOf } from './journal-calendar.ts'
import { rawMembers } from './json-members.ts'
import { pointed } from './listing.ts'
import type { Shelf, ShelfEntry } from './shelf.ts'
import { commonFormatOf } from './write-entry.ts'

const noon = 12 * 3_600_000
/** Day of an entry if the folder does not say on which day it appeared. */
const unknownDay = Date.UTC(2025, 11, 5)
/** Folders with OCDS, by source. */
const ocdsFolders: { readonly [sourceId: string]: string } = {
  'gb-find-a-tender': 'gb-find-a-tender',
  'gb-contracts-finder': 'gb-contracts-finder',
  'gb-public-contracts-scotland': 'gb-public-contracts-scotland',
  'gb-sell2wales': 'gb-sell2wales',
  'md-mtender': 'md-moldova',
  'ua-prozorro': 'ua-prozorro',
}
const codiceSource = 'es-placsp-643'
const tableDay = '2025-12-06'

export type CorpusShelf = Shelf & {
  /** Sources with files in the folder. */
  readonly sourceIds: readonly string[]
}

/** Reads the folder's index and files. Throws OperatorError when there is none. */
export async function corpusShelf(folder: string): Promise<CorpusShelf> {
  const dates = await readManifest(folder)
  const held = new Map<string, ShelfEntry[]>()
  const add = (sourceId: string, entry: ShelfEntry) => held.set(sourceId, [...(held.get(sourceId) ?? []), entry])

  for (const part of ['ted-eforms', 'ted-legacy']) {
    for await (const document of readPath(join(folder, part))) {
      const number = /(\d{6,8})_(\d{4})\.xml$/.exec(document.address)
      if (!number || document.unreadable) continue
      const publicationNumber = `${Number(number[1])}-${number[2]}`
      const day = dates.get(relative(folder, document)) ?? Date.UTC(Number(number[2]), 5, 1)
      add('ted', entryOf(publicationNumber, releaseOf(day), textOf(document), publicationNumber))
    }
  }
  for await (const document of readPath(join(folder, 'doffin-eforms'))) {
    const name = basename(document.address, '.xml')
    add('no-doffin', entryOf(name, (dates.get(relative(folder, document)) ?? unknownDay) + noon, textOf(document)))
  }
  for (const part of ['doe-sdk-0.1', 'validator-fixtures']) {
    for await (const document of readPath(join(folder, 'eforms-de', part))) {
      const name = basename(document.address, '.xml')
      add('doe', entryOf(name, unknownDay + noon, textOf(document)))
    }
  }
  for await (const document of readPath(join(folder, 'other-portals', 'simap-ch'))) {
    add('ch-simap', entryOf(basename(document.address, '.json'), unknownDay + noon, textOf(document)))
  }
  for await (const document of readPath(join(folder, 'other-portals', 'placsp-es-synthetic'))) {
    const text = textOf(document)()
    const root = /<feed[^>]*>/.exec(text)?.[0]
    if (root === undefined) continue
    for (const [index, match] of [...text.matchAll(/<entry[\s>][\s\S]*?<\/entry>/g)].entries()) {
      const at = Date.parse(/<updated>([^<]+)</.exec(match[0])?.[1] ?? '')
      const whole = `<?xml version="1.0" encoding="UTF-8"?>\n${root}${match[0]}</feed>`
      add(
        codiceSource,
        entryOf(`${basename(document.address)}-${index}`, Number.isNaN(at) ? unknownDay : at, () => whole),
      )
    }
  }
  const ocds = new Map<string, ShelfEntry[]>()
  const tables = await readTables(join(folder, 'eforms-de', `doe-csv-${tableDay}`))
  return {
    sourceIds: [...held.keys(), ...Object.keys(ocdsFolders)],
    entries: (source, until) => {
      if (ocdsFolders[source.id] !== undefined && !ocds.has(source.id)) {
        ocds.set(source.id, readOcds(join(folder, 'ocds', ocdsFolders[source.id]!), source))
      }
      return [...(held.get(source.id) ?? ocds.get(source.id) ?? [])]
        .filter(({ publishedAt }) => publishedAt <= until)
        .sort((a, b) => a.publishedAt - b.publishedAt || (a.id < b.id ? -1 : 1))
    },
    tables: (sourceId, day) => (sourceId === 'doe' && day === tableDay ? tables : undefined),
  }
}

const relative = (folder: string, { address }: ReceivedDocument): string => address.slice(folder.length + 1)

function textOf({ bytes }: ReceivedDocument): () => string {
  const text = Buffer.from(bytes).toString('utf8')
  return () => text
}

function entryOf(id: string, publishedAt: number, text: () => string, publicationNumber?: string): ShelfEntry {
  return {
    id: `${id}-01`,
    noticeId: id,
    version: 1,
    procedureId: id,
    number: Number(/\d+/.exec(id)?.[0] ?? 1),
    publishedAt,
    text,
    ...(publicationNumber !== undefined && { publicationNumber }),
  }
}

/** Days by path; `2023-02-17Z`, `2025-01`, `2016..2017` occur. */
async function readManifest(folder: string): Promise<ReadonlyMap<string, number>> {
  let text: string
  try {
    text = await readFile(join(folder, 'MANIFEST.tsv'), 'utf8')
  } catch (error) {
    throw new OperatorError(
      'path-unusable',
      `${folder} holds no collected notices (MANIFEST.tsv); name a folder that does.`,
      {
        cause: error,
      },
    )
  }
  const [head, ...rows] = text.split('\n').map((line) => line.split('\t'))
  const [file, date] = [head!.indexOf('file'), head!.indexOf('date')]
  return new Map(
    rows.flatMap((row): [string, number][] => {
      const day = parseDate((row[date] ?? '').slice(0, 10))
      return day ? [[row[file]!, day.utcMidnightMs]] : []
    }),
  )
}

async function readTables(folder: string): Promise<readonly ArchiveMember[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.csv')).sort()
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })))
}

// Read at the first request, because only the card says whether releases or records are needed.
function readOcds(folder: string, source: Source): ShelfEntry[] {
  const wantsRecords = commonFormatOf(source) === 'record'
  const found = new Map<string, ShelfEntry>()
  for (const path of filesIn(folder)) {
    const text = readFileSync(path, 'utf8')
    const items = path.endsWith('.jsonl')
      ? text.split('\n').filter((line) => line.trim() !== '')
      : wantsRecords
        ? [...rawMembers(text, '/records/*'), ...(pointed(text, '/compiledRelease/ocid') === undefined ? [] : [text])]
        : [
            ...rawMembers(text, '/releases/*'),
            ...rawMembers(text, '/results/*/releases/*'),
            ...rawMembers(text, '/records/*/compiledRelease'),
          ]
    for (const item of items) {
      // some releases are not JSON (a value of Infinity); portals publish them anyway
      const textNamed = (name: string) => new RegExp(`"${name}"\\s*:\\s*"([^"]+)"`).exec(item)?.[1]
      const written =
        pointed(item, wantsRecords ? '/ocid' : '/id') ??
        pointed(item, '/ocid') ??
        textNamed(wantsRecords ? 'ocid' : 'id')
      if (written === undefined || [...found.values()].some((entry) => entry.text() === item)) continue
      // publishers give one id to several releases
      const id = found.has(written) ? `${written}.${found.size}` : written
      const at = Date.parse(pointed(item, '/date') ?? pointed(item, '/compiledRelease/date') ?? textNamed('date') ?? '')
      const publishedAt = Number.isNaN(at) ? unknownDay : at
      found.set(id, { ...entryOf(id, publishedAt, () => item), procedureId: pointed(item, '/ocid') ?? id })
    }
  }
  return [...found.values()]
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
