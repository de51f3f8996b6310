// What a disk holds after a power cut, derived from a trace of the system calls of a real process. A file's content is
// durable when it was synced; other content may or may not survive, page by page. Limit: names, sizes and deletions
// count as durable immediately.
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const pageBytes = 4096
/** Seconds. */
const longAgo = 1_700_000_000

/** The calls that a trace must contain. */
export const tracedCalls =
  'openat,open,creat,close,write,pwrite64,writev,pwritev,ftruncate,truncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync,lseek'

type File = { written: Buffer; durable: Buffer }
type Names = Map<string, File>

/** One call that completed, with its arguments as strace prints them. */
export type Call = { readonly name: string; readonly args: string; readonly result: number }

const escapes: { readonly [letter: string]: number } = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, '\\': 92 }

/** The bytes of a string as strace prints it, without its quotes. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.alloc(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      bytes[length++] = text.charCodeAt(at)
      continue
    }
    const letter = text[++at]!
    if (letter === 'x') {
      bytes[length++] = Number.parseInt(text.slice(at + 1, at + 3), 16)
      at += 2
    } else if (letter >= '0' && letter <= '7') {
      const digits = /^[0-7]{1,3}/.exec(text.slice(at, at + 3))![0]
      bytes[length++] = Number.parseInt(digits, 8)
      at += digits.length - 1
    } else bytes[length++] = escapes[letter]!
  }
  return bytes.subarray(0, length)
}

const strings = (args: string): string[] => [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text!)

/** The calls of a trace (`strace -f -x`), in the order in which they ended. */
export function readTrace(path: string): Call[] {
  const begun = new Map<string, string>()
  const calls: Call[] = []
  for (const line of readFileSync(path, 'latin1').split('\n')) {
    const [, pid, text] = /^(\d+)\s+(.*)$/s.exec(line) ?? []
    if (pid === undefined || text === undefined) continue
    if (text.endsWith('<unfinished ...>')) {
      begun.set(pid, text.slice(0, -'<unfinished ...>'.length).trimEnd())
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>\s?(.*)$/s.exec(text)
    const whole = resumed ? (begun.get(pid) ?? '') + resumed[1] : text
    const [, name, args, result] = /^(\w+)\((.*)\)\s+= (-?\d+)/s.exec(whole) ?? []
    if (name !== undefined && Number(result) >= 0) calls.push({ name, args: args!, result: Number(result) })
  }
  return calls
}

/** The files below one folder, call by call. */
export class TracedDisk {
  readonly #folder: string
  readonly #names: Names = new Map()
  readonly #open = new Map<number, { readonly file: File; readonly isAppended: boolean; at: number }>()

  /** Marks what the folder holds now as durable. */
  constructor(folder: string) {
    this.#folder = folder
    const walk = (at: string): void => {
      for (const name of readdirSync(at)) {
        const path = join(at, name)
        if (statSync(path).isDirectory()) walk(path)
        else {
          const content = readFileSync(path)
          this.#names.set(path, { written: content, durable: content })
        }
      }
    }
    walk(folder)
  }

  /** Applies the effect of a call. */
  apply({ name, args, result }: Call): void {
    const texts = strings(args)
    const path = (index: number): string => bytesOf(texts[index]!).toString()
    const number = Number.parseInt(args, 10)
    switch (name) {
      case 'openat':
      case 'open':
      case 'creat':
        this.#opened(path(0), args, result)
        return
      case 'close':
        this.#open.delete(number)
        return
      case 'write': {
        const open = this.#open.get(number)
        if (!open) return
        if (open.isAppended) open.at = open.file.written.length
        this.#write(open.file, open.at, bytesOf(texts[0]!).subarray(0, result))
        open.at += result
        return
      }
      case 'writev': {
        const open = this.#open.get(number)
        if (!open) return
        this.#write(open.file, open.at, Buffer.concat(texts.map(bytesOf)).subarray(0, result))
        open.at += result
        return
      }
      case 'pwrite64':
      case 'pwritev': {
        const open = this.#open.get(number)
        const at = Number(/, (\d+)$/.exec(args)![1])
        if (open) this.#write(open.file, at, Buffer.concat(texts.map(bytesOf)).subarray(0, result))
        return
      }
      case 'lseek': {
        const open = this.#open.get(number)
        if (open) open.at = result
        return
      }
      case 'ftruncate': {
        const file = this.#open.get(number)?.file
        if (file) resize(file, Number(/, (\d+)$/.exec(args)![1]))
        return
      }
      case 'truncate': {
        const file = this.#names.get(path(0))
        if (file) resize(file, Number(/, (\d+)$/.exec(args)![1]))
        return
      }
      case 'rename':
      case 'renameat':
      case 'renameat2': {
        const file = this.#names.get(path(0))
        if (!file) return
        this.#names.set(path(1), file)
        this.#names.delete(path(0))
        return
      }
      case 'link':
      case 'linkat': {
        const file = this.#names.get(path(0))
        if (file) this.#names.set(path(1), file)
        return
      }
      case 'unlink':
      case 'unlinkat':
        this.#names.delete(path(0))
        return
      case 'fsync':
      case 'fdatasync': {
        const file = this.#open.get(number)?.file
        if (file) file.durable = Buffer.from(file.written)
      }
    }
  }

  #opened(path: string, args: string, descriptor: number): void {
    if (!path.startsWith(`${this.#folder}/`) || args.includes('O_DIRECTORY')) return
    let file = this.#names.get(path)
    if (!file && /O_CREAT/.test(args)) {
      file = { written: Buffer.alloc(0), durable: Buffer.alloc(0) }
      this.#names.set(path, file)
    }
    if (!file) return
    if (/O_TRUNC/.test(args)) resize(file, 0)
    this.#open.set(descriptor, { file, isAppended: /O_APPEND/.test(args), at: 0 })
  }

  #write(file: File, at: number, bytes: Buffer): void {
    const size = Math.max(file.written.length, at + bytes.length)
    const written = Buffer.alloc(size)
    file.written.copy(written)
    bytes.copy(written, at)
    file.written = written
  }

  /**
   * Writes what a power cut would leave now into another folder. `keepsPage` decides which unsynced pages survive
   * nevertheless.
   */
  cutInto(target: string, keepsPage: () => boolean): void {
    for (const [path, { written, durable }] of this.#names) {
      const content = Buffer.alloc(written.length)
      durable.copy(content, 0, 0, content.length)
      for (let at = 0; at < content.length; at += pageBytes)
        if (!written.subarray(at, at + pageBytes).equals(content.subarray(at, at + pageBytes)) && keepsPage())
          written.copy(content, at, at, at + pageBytes)
      const to = join(target, relative(this.#folder, path))
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to, content)
      // The machine was off for a while: the lease of a held lock has expired.
      utimesSync(to, longAgo, longAgo)
    }
  }
}

function resize(file: File, size: number): void {
  for (const part of ['written', 'durable'] as const) {
    const resized = Buffer.alloc(size)
    file[part].copy(resized, 0, 0, size)
    file[part] = resized
  }
}
