// The folders of large rooms: which part of a room uses which others, and how many files a folder holds.
import { posix } from 'node:path'
import type { ScannedFile } from './scan.ts'

type Parts = { readonly [part: string]: readonly string[] }
type Found = { readonly rule: string; readonly path: string; readonly detail: string }

/**
 * The parts of rooms, and which others of its room each uses: only parts that stand above it, so there is no circle.
 * A file that lies in the room itself may use all of them.
 */
export const partsOfRooms: { readonly [room: string]: Parts } = {
  'src/store': {
    connections: [],
    schema: ['connections'],
    embedded: ['connections', 'schema'],
    server: ['connections', 'schema'],
    database: ['connections', 'schema', 'embedded', 'server'],
    files: [],
    sources: ['schema', 'database'],
    received: ['database', 'files', 'sources'],
    stock: ['database', 'received'],
    editions: ['database', 'stock'],
    people: ['database'],
    hits: ['schema', 'database', 'received', 'people'],
    nodes: ['database'],
    upkeep: ['database', 'files', 'received', 'hits'],
    screens: ['database', 'sources', 'received', 'hits', 'nodes'],
    backup: ['schema', 'server', 'database', 'files', 'received', 'editions', 'people'],
  },
  'src/edition': {
    format: [],
    read: ['format'],
    bulk: ['format', 'read'],
    write: ['format', 'read'],
  },
  'src/api': {
    limits: [],
    problems: [],
    parameters: ['problems'],
    cursors: ['parameters'],
    tokens: [],
    bulk: ['limits', 'problems', 'cursors'],
    mcp: ['limits', 'problems'],
  },
  'src/console': {
    frame: [],
    codes: ['frame'],
    market: ['frame'],
    hits: ['frame', 'codes', 'market'],
    tenders: ['frame', 'market', 'hits'],
    find: ['frame', 'codes', 'market', 'hits', 'tenders'],
    help: ['frame', 'hits', 'tenders', 'find'],
    desk: ['frame', 'tenders'],
    mails: ['frame', 'codes', 'hits'],
    customers: ['frame', 'desk', 'mails'],
    people: ['frame', 'hits', 'mails'],
    docs: ['frame'],
    public: ['frame', 'codes', 'find', 'docs', 'help'],
  },
  'src/service': {
    events: [],
    control: ['events'],
    watch: [],
    readers: ['watch'],
    metrics: ['watch', 'readers'],
    hits: ['events', 'watch'],
    nodes: ['events', 'control', 'watch', 'readers', 'metrics', 'hits'],
    operations: ['events', 'control', 'watch', 'hits', 'nodes'],
    rounds: ['events', 'control', 'watch', 'metrics', 'operations'],
    samples: ['events', 'control', 'hits', 'nodes', 'operations', 'rounds'],
    start: ['events', 'control', 'watch', 'metrics', 'hits', 'nodes', 'operations', 'rounds', 'samples'],
  },
  'client/src/sinks': {
    faults: [],
    record: ['faults'],
    files: ['faults', 'record'],
    crm: ['faults', 'files'],
    postgres: ['faults', 'record'],
    sqlite: ['faults', 'record', 'files'],
  },
}

/** Maximum of files in a folder. */
const maxFiles = 30
/** What is not counted: tables of data, tests, and the folders of countries, which hold a file for each portal. */
const uncounted = /^src\/(?:sources|simulator)\/portals\/|\.(?:json|txt|tsv|gz|xml)$|\.test\.ts$/

/** Imports between parts of a room that its table does not name, and folders that are no part of it. */
export function partViolations(path: string, file: ScannedFile): Found[] {
  const room = Object.keys(partsOfRooms).find((each) => path.startsWith(`${each}/`))
  if (room === undefined) return []
  const parts = partsOfRooms[room]!
  const own = partOf(room, path)
  if (own === '') return []
  const neighbors = parts[own]
  if (neighbors === undefined) return [{ rule: 'direction', path, detail: `${room} has no part ${own}` }]
  return file.imports.flatMap(({ specifier }) => {
    const target = posix.join(posix.dirname(path), specifier)
    if (!specifier.startsWith('.') || !target.startsWith(`${room}/`)) return []
    const used = partOf(room, target)
    return used === own || neighbors.includes(used)
      ? []
      : [{ rule: 'direction', path, detail: `${room}/${own} imports ${target}` }]
  })
}

/** The first folder below the room; empty for a file that lies in the room itself. */
const partOf = (room: string, path: string): string => /^([^/]+)\//.exec(path.slice(room.length + 1))?.[1] ?? ''

/** Folders of the program and the client that hold too many files. */
export function fullFolders(paths: Iterable<string>): Found[] {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const folder = posix.dirname(path)
    if (/^(?:client\/)?src\//.test(path) && !uncounted.test(path)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([path, count]) => ({ rule: 'full-folder', path, detail: `holds ${count} files, at most ${maxFiles}` }))
}
