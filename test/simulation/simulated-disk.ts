// The disk of a simulated client: what the shipped sinks write through node:fs/promises below `/simulated-disk/` is
// kept in memory, call by call. Killed processes leave all of it; a power cut leaves the synced data, and a random part
// of the rest, page by page. Names (new files, renames, deletions) become durable in their order, at the latest when a
// folder is synced. Limit: truncating a file counts as durable immediately.
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Random } from '../testing/generate/random.ts'
import type { Gate } from './memory-sink.ts'

/** Small, so that small files have several. */
const pageBytes = 512
const root = '/simulated-disk/'

type File = { written: Buffer; durable: Buffer }
type Names = Map<string, File>

const missing = (path: string): Error => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })

export class SimulatedDisk {
  #names: Names = new Map()
  #durableNames: Names = new Map()
  /** Changes of names that no folder was synced after. */
  #waiting: ((names: Names) => void)[] = []

  read(path: string): Buffer | undefined {
    return this.#names.get(path)?.written
  }

  #change(change: (names: Names) => void): void {
    change(this.#names)
    this.#waiting.push(change)
  }

  /** Opens for writing like `w`, `a` and `r+`. */
  open(path: string, flags: string): File {
    let file = this.#names.get(path)
    if (!file) {
      if (flags === 'r+') throw missing(path)
      const made: File = { written: Buffer.alloc(0), durable: Buffer.alloc(0) }
      this.#change((names) => names.set(path, made))
      file = made
    }
    if (flags === 'w') resize(file, 0)
    return file
  }

  find(path: string): File | undefined {
    return this.#names.get(path)
  }

  hasFolder(path: string): boolean {
    return [...this.#names.keys()].some((name) => name.startsWith(`${path}/`))
  }

  rename(from: string, to: string): void {
    const file = this.#names.get(from)
    if (!file) throw missing(from)
    this.#change((names) => {
      names.set(to, file)
      names.delete(from)
    })
  }

  remove(path: string): void {
    if (this.#names.has(path)) this.#change((names) => names.delete(path))
  }

  syncNames(): void {
    this.#durableNames = new Map(this.#names)
    this.#waiting = []
  }

  /** The power fails: what remains is the disk from now on. */
  cutPower(random: Random): void {
    const kept = random.integer(0, this.#waiting.length)
    for (const change of this.#waiting.slice(0, kept)) change(this.#durableNames)
    this.#names = this.#durableNames
    this.syncNames()
    for (const file of new Set(this.#names.values())) {
      const { written, durable } = file
      const left = Buffer.alloc(random.chance(0.5) ? written.length : Math.min(written.length, durable.length))
      durable.copy(left)
      for (let at = 0; at < left.length; at += pageBytes)
        if (random.chance(0.5)) written.copy(left, at, at, Math.min(at + pageBytes, left.length))
      file.written = left
      file.durable = Buffer.from(left)
    }
  }
}

function resize(file: File, size: number): void {
  for (const part of ['written', 'durable'] as const) {
    if (part === 'durable' && file.durable.length <= size) continue
    const resized = Buffer.alloc(size)
    file[part].copy(resized)
    file[part] = resized
  }
}

function write(file: File, bytes: Buffer, at: number): void {
  const written = Buffer.alloc(Math.max(file.written.length, at + bytes.length))
  file.written.copy(written)
  bytes.copy(written, at)
  file.written = written
}

/** A disk as one process sees it: everything that changes it goes through the gate of the process. */
type Mount = { readonly disk: SimulatedDisk; readonly gate: Gate }
const mounts = new Map<string, Mount>()
let mountCount = 0

/** The folder of the disk for one process; `unmount` when the process has ended. */
export function mountDisk(disk: SimulatedDisk, gate: Gate): { readonly folder: string; readonly unmount: () => void } {
  installDisk()
  const name = `${++mountCount}`
  mounts.set(name, { disk, gate })
  return { folder: root + name, unmount: () => void mounts.delete(name) }
}

/** The disk and the path on it; undefined for a path elsewhere. */
function simulatedPath(path: unknown): (Mount & { readonly path: string }) | undefined {
  if (typeof path !== 'string' || !path.startsWith(root)) return undefined
  const rest = path.slice(root.length)
  const end = rest.includes('/') ? rest.indexOf('/') : rest.length
  const mount = mounts.get(rest.slice(0, end))
  // A process that has ended: its calls have no effect.
  return mount ? { ...mount, path: rest.slice(end) } : { disk: new SimulatedDisk(), gate: () => never, path: '' }
}
const never = new Promise<never>(() => {})

type SimulatedPath = NonNullable<ReturnType<typeof simulatedPath>>

function folderHandle({ disk, gate }: SimulatedPath) {
  return { sync: () => gate('disk: sync of the names', () => disk.syncNames()), close: async () => {} }
}

/** What the client uses of a FileHandle. */
function fileHandle({ gate, path }: SimulatedPath, file: File, flags: string) {
  let position = flags === 'a' ? file.written.length : 0
  const append = (data: Buffer | string): void => {
    const bytes = Buffer.from(data)
    write(file, bytes, position)
    position += bytes.length
  }
  return {
    read: async (target: Buffer, offset: number, length: number, from: number) => ({
      bytesRead: file.written.subarray(from, from + length).copy(target, offset),
    }),
    write: (bytes: Buffer, offset: number, length: number, at: number) => {
      const copy = Buffer.from(bytes.subarray(offset, offset + length))
      return gate(`disk: ${length} bytes into ${path}`, () => {
        write(file, copy, at)
        return { bytesWritten: length }
      })
    },
    writev: (pieces: readonly Buffer[]) => {
      const copy = Buffer.concat(pieces)
      return gate(`disk: ${copy.length} bytes into ${path}`, () => {
        append(copy)
        return { bytesWritten: copy.length }
      })
    },
    writeFile: (data: Buffer | string) => gate(`disk: ${data.length} bytes into ${path}`, () => append(data)),
    truncate: async (size: number) => resize(file, size),
    sync: () =>
      gate(`disk: sync of ${path}`, () => {
        file.durable = Buffer.from(file.written)
      }),
    close: async () => {},
  }
}

let isInstalled = false

/** Replaces the calls of node:fs/promises for paths on simulated disks; calling it again changes nothing. */
function installDisk(): void {
  if (isInstalled) return
  isInstalled = true
  const real = { ...fs }
  /** The simulated call for a simulated path, else the real one. */
  const replace = (
    name: keyof typeof fs,
    simulated: (target: SimulatedPath, ...rest: never[]) => Promise<unknown>,
  ): void => {
    const call = real[name] as (...values: unknown[]) => Promise<unknown>
    Object.assign(fs, {
      [name]: (path: unknown, ...rest: unknown[]) => {
        const target = simulatedPath(path)
        return target ? simulated(target, ...(rest as never[])) : call(path, ...rest)
      },
    })
  }
  replace('open', async (target, flags: string) => {
    const { disk, gate, path } = target
    const file = disk.find(path)
    if (flags === 'r' || flags === 'r+') {
      if (file) return fileHandle(target, file, flags)
      if (flags === 'r' && disk.hasFolder(path)) return folderHandle(target)
      throw missing(path)
    }
    return fileHandle(target, await gate(`disk: open ${path}`, () => disk.open(path, flags)), flags)
  })
  replace('rename', ({ disk, gate, path }, to: string) =>
    gate(`disk: rename to ${simulatedPath(to)!.path}`, () => disk.rename(path, simulatedPath(to)!.path)),
  )
  replace('rm', ({ disk, gate, path }) =>
    disk.find(path) ? gate(`disk: remove ${path}`, () => disk.remove(path)) : Promise.resolve(),
  )
  replace('stat', async ({ disk, path }) => {
    const file = disk.find(path)
    if (!file) throw missing(path)
    return { size: file.written.length }
  })
  replace('readFile', async ({ disk, path }) => {
    const file = disk.find(path)
    if (!file) throw missing(path)
    return file.written.toString()
  })
  replace('appendFile', ({ disk, gate, path }, data: string) =>
    gate(`disk: ${data.length} bytes into ${path}`, () => {
      const file = disk.open(path, 'a')
      write(file, Buffer.from(data), file.written.length)
    }),
  )
  replace('mkdir', async () => undefined)
  // Every file has the rights of its owner.
  replace('chmod', async () => undefined)
  replace('chown', async () => undefined)
  syncBuiltinESMExports()
}
