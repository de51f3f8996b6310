import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OperatorError } from '../platform/errors.ts'
import { UnpackBudget } from './archives.ts'
import { type ReceivedDocument, readPath } from './files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenderstock-files-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const mebibyte = 1024 * 1024

function put(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** `address → text`, `long`, or `!reason`, with the test's folder left out. */
async function read(path: string, budgetOf?: () => UnpackBudget): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { address, bytes, unreadable } of readPath(path, budgetOf)) {
    expect(Object.hasOwn(found, address)).toBe(false)
    if (unreadable) expect(bytes.length).toBeLessThanOrEqual(1024)
    const content = bytes.length > mebibyte ? 'long' : Buffer.from(bytes).toString()
    found[address.replace(`${folder}/`, '')] = unreadable ? `!${unreadable.reason}` : content
  }
  return found
}

type ZipEntry = {
  readonly name: string
  readonly data: Uint8Array
  readonly deflated?: Buffer
  readonly size?: number
  readonly streamed?: boolean
  readonly flags?: number
  readonly sum?: number
}

/** A zip archive; `streamed` puts the sizes after the data, like programs that write to a pipe. */
function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const {
    name,
    data,
    deflated = deflateRawSync(data),
    size = data.length,
    streamed = false,
    flags = 0,
    sum = crc32(data),
  } of entries) {
    const file = Buffer.from(name)
    const fixed = (isLocal: boolean): Buffer => {
      const header = Buffer.alloc(26)
      header.writeUInt16LE(20, 0)
      header.writeUInt16LE(flags | 0x800 | (streamed ? 8 : 0), 2)
      header.writeUInt16LE(8, 4)
      header.writeUInt32LE(isLocal && streamed ? 0 : sum, 10)
      header.writeUInt32LE(isLocal && streamed ? 0 : deflated.length, 14)
      header.writeUInt32LE(isLocal && streamed ? 0 : size, 18)
      header.writeUInt16LE(file.length, 22)
      return header
    }
    const descriptor = Buffer.alloc(streamed ? 16 : 0)
    if (streamed)
      [0x08074b50, sum, deflated.length, size].forEach((value, index) => {
        descriptor.writeUInt32LE(value, 4 * index)
      })
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fixed(true), file, deflated, descriptor])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fixed(false), tail, file]))
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}

async function tar(
  entries: readonly (readonly [name: string, data: string | Buffer, type?: 'symlink' | 'directory'])[],
): Promise<Buffer> {
  const archive = pack()
  for (const [name, data, type] of entries) {
    if (type) archive.entry({ name, type, ...(type === 'symlink' && { linkname: '/etc/passwd' }) })
    else archive.entry({ name }, data)
  }
  archive.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const text = (data: string): Buffer => Buffer.from(data)
/** Texts that do not shrink to nothing, so that half an archive holds about half of them. */
const texts = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) =>
      `<a>${Array.from({ length: 400 }, (__, at) => ((index + 1) * (at + 7919) * 2654435761) % 4294967296).join(' ')}</a>`,
  )

describe('a folder', () => {
  it('is read by name, with its subfolders and without dot files', async () => {
    mkdirSync(join(folder, 'b/c'), { recursive: true })
    put('b/c/2.xml', '<two/>')
    put('a.xml', '<one/>')
    put('z.csv', 'a,b')
    put('.hidden', 'x')
    expect(await read(folder)).toEqual({ 'a.xml': '<one/>', 'b/c/2.xml': '<two/>', 'z.csv': 'a,b' })
    expect(Object.keys(await read(folder))).toEqual(['a.xml', 'b/c/2.xml', 'z.csv'])
  })

  it('does not follow links out of it, and says so', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'tenderstock-outside-'))
    try {
      writeFileSync(join(outside, 'secret'), 'secret')
      mkdirSync(join(folder, 'in'))
      put('in/1', 'one')
      symlinkSync(join(outside, 'secret'), join(folder, 'x-file'))
      symlinkSync(outside, join(folder, 'x-folder'))
      symlinkSync(folder, join(folder, 'x-loop'))
      symlinkSync(join(folder, 'gone'), join(folder, 'x-gone'))
      symlinkSync(join(folder, 'in/1'), join(folder, 'x-inside'))
      expect(await read(folder)).toEqual({
        'in/1': 'one',
        'x-file': '!unsupported-format',
        'x-folder': '!unsupported-format',
        'x-loop': '!unsupported-format',
        'x-gone': '!malformed',
        'x-inside': 'one',
      })
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  it('that does not exist is the operator’s to repair', async () => {
    await expect(read(join(folder, 'none'))).rejects.toThrow(OperatorError)
  })
})

describe('archives are known by their bytes, whatever their names', () => {
  it('zip, with names that are only addresses', async () => {
    const names = ['a.xml', '../../etc/passwd', '/abs', 'C:\\x', 'dir/', 'ü\u0007.xml']
    const path = put(
      'zip.xml',
      zip(names.map((name) => ({ name, data: text(name.endsWith('/') ? '' : `<${name.length}/>`) }))),
    )
    expect(await read(path)).toEqual({
      'zip.xml!a.xml': '<5/>',
      'zip.xml!../../etc/passwd': '<16/>',
      'zip.xml!/abs': '<4/>',
      'zip.xml!C:/x': '<4/>',
      'zip.xml!ü?.xml': '<6/>',
    })
  })

  it('tar, tar.gz and gz', async () => {
    const archive = await tar([
      ['d', '', 'directory'],
      ['d/1.xml', '<one/>'],
      ['link', '', 'symlink'],
      ['2.xml', '<two/>'],
      ['empty', ''],
    ])
    const expected = (name: string) => ({
      [`${name}!d/1.xml`]: '<one/>',
      [`${name}!link`]: '!unsupported-format',
      [`${name}!2.xml`]: '<two/>',
      [`${name}!empty`]: '',
    })
    expect(await read(put('a', archive))).toEqual(expected('a'))
    expect(await read(put('b', gzipSync(archive)))).toEqual(expected('b'))
    expect(await read(put('c', gzipSync('<three/>')))).toEqual({ c: '<three/>' })
  })

  it('nested archives, down to a limit', async () => {
    const inner = zip([{ name: '1.xml', data: text('<one/>') }])
    const outer = await tar([
      ['in.zip', inner],
      ['in.gz', gzipSync('<two/>')],
    ])
    expect(await read(put('o.tgz', gzipSync(outer)))).toEqual({
      'o.tgz!in.zip!1.xml': '<one/>',
      'o.tgz!in.gz': '<two/>',
    })
    let deep: Buffer = text('<deep/>')
    for (let level = 0; level < 6; level++) deep = gzipSync(deep)
    expect(await read(put('deep', deep))).toEqual({ deep: '!too-deep' })
  })
})

describe('damage costs no more than it must', () => {
  it('a truncated tar.gz gives the members before the cut, then names the archive', async () => {
    const documents = texts(30)
    const whole = gzipSync(await tar(documents.map((data, index) => [`${String(index).padStart(2, '0')}.xml`, data])))
    const found = await read(put('cut.tar.gz', whole.subarray(0, whole.length / 2)))
    const keys = Object.keys(found)
    expect(keys.length).toBeGreaterThan(5)
    expect(keys.length).toBeLessThan(30)
    expect(keys.at(-1)).toBe('cut.tar.gz')
    expect(found['cut.tar.gz']).toBe('!malformed')
    for (const [index, key] of keys.slice(0, -1).entries()) {
      expect(key).toBe(`cut.tar.gz!${String(index).padStart(2, '0')}.xml`)
      expect(found[key]).toBe(documents[index])
    }
    let last: ReceivedDocument | undefined
    for await (const document of readPath(join(folder, 'cut.tar.gz'))) last = document
    expect(last!.unreadable!.detail).toContain('cut.tar.gz')
  })

  it('a truncated tar does the same', async () => {
    const archive = await tar(texts(10).map((data, index) => [`${index}`, data]))
    const found = await read(put('cut.tar', archive.subarray(0, 20_000)))
    expect(Object.keys(found)).toEqual(
      ['cut.tar!0', 'cut.tar!1', 'cut.tar!2', 'cut.tar!3', 'cut.tar'].filter((key) => key in found),
    )
    expect(Object.keys(found).length).toBeGreaterThan(2)
    expect(found['cut.tar']).toBe('!malformed')
  })

  it.each([false, true])(
    'a truncated zip does the same although its directory is gone (sizes after the data: %s)',
    async (streamed) => {
      const documents = texts(12)
      const whole = zip(documents.map((data, index) => ({ name: `${index}.xml`, data: text(data), streamed })))
      const found = await read(put('cut.zip', whole.subarray(0, whole.length / 2)))
      const keys = Object.keys(found)
      expect(keys.length).toBeGreaterThan(3)
      expect(keys.at(-1)).toBe('cut.zip')
      expect(found['cut.zip']).toBe('!malformed')
      for (const [index, key] of keys.slice(0, -1).entries()) expect(found[key]).toBe(documents[index])
    },
  )

  it('a damaged member of a zip is named, and the next ones are read', async () => {
    const bytes = zip([
      { name: '1', data: text('<one/>') },
      { name: '2', data: text('<two/>'), sum: 1 },
      { name: '3', data: text('<three/>'), deflated: Buffer.from([7, 7, 7]) },
      { name: '4', data: text('<four/>'), flags: 1 },
      { name: '5', data: text('<five/>') },
    ])
    expect(await read(put('z', bytes))).toEqual({
      'z!1': '<one/>',
      'z!2': '!malformed',
      'z!3': '!malformed',
      'z!4': '!unsupported-format',
      'z!5': '<five/>',
    })
  })

  it('a truncated archive inside another does not end the outer one', async () => {
    const inner = gzipSync(await tar(texts(4).map((data, index) => [`${index}`, data])))
    const found = await read(
      put(
        'o.zip',
        zip([
          { name: 'in', data: inner.subarray(0, inner.length - 3000) },
          { name: 'after', data: text('<after/>') },
        ]),
      ),
    )
    expect(found['o.zip!in']).toBe('!malformed')
    expect(found['o.zip!in!0']).toMatch(/^<a>/)
    expect(found['o.zip!after']).toBe('<after/>')
  })

  it('a file that only begins like an archive is one rejection', async () => {
    expect(await read(put('z', 'PK\x03\x04 and nothing'))).toEqual({ z: '!malformed' })
    expect(await read(put('g', Buffer.from([0x1f, 0x8b, 1, 2, 3])))).toEqual({ g: '!malformed' })
  })
})

describe('bombs', () => {
  /** A deflate stream of `count` times 16 MiB of zeros: fully flushed blocks can follow each other. */
  function zeros(count: number): Buffer {
    const block = deflateRawSync(Buffer.alloc(16 * mebibyte), { finishFlush: constants.Z_FULL_FLUSH })
    return Buffer.concat([...Array.from({ length: count }, () => block), Buffer.from([3, 0])])
  }
  const zeroSum = (count: number): number => {
    const block = Buffer.alloc(16 * mebibyte)
    let sum = 0
    for (let index = 0; index < count; index++) sum = crc32(block, sum)
    return sum
  }

  it('a gibibyte of zeros in a zip is one rejection in bounded memory, and the members around it are read', async () => {
    const bytes = zip([
      { name: '1', data: text('<one/>') },
      { name: 'bomb', data: text(''), deflated: zeros(64), size: 1024 * mebibyte, sum: 1 },
      { name: '3', data: text('<three/>') },
    ])
    const path = put('bomb.zip', bytes)
    const before = process.memoryUsage().rss
    expect(await read(path)).toEqual({
      'bomb.zip!1': '<one/>',
      'bomb.zip!bomb': '!too-large',
      'bomb.zip!3': '<three/>',
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * mebibyte)
  })

  it('a member with a wrong size is stopped where it claims to end', async () => {
    const bytes = zip([{ name: 'liar', data: text(''), deflated: zeros(8), size: 100, sum: 1 }])
    expect(await read(put('liar.zip', bytes))).toEqual({ 'liar.zip!liar': '!malformed' })
  })

  /** An archive of members that each unpack to 16 MiB of nothing. */
  const manyMembers = (count: number): string => {
    const member = { data: text(''), deflated: zeros(1), size: 16 * mebibyte, sum: zeroSum(1) }
    return put('many.zip', zip(Array.from({ length: count }, (_, index) => ({ name: `${index}`, ...member }))))
  }

  it('many members that unpack to nothing end at the archive’s limit, which each file has for itself', async () => {
    mkdirSync(join(folder, 'd'))
    const path = manyMembers(9)
    for (const name of ['d/a.zip', 'd/b.zip']) copyFileSync(path, join(folder, name))
    const found = await read(join(folder, 'd'), () => new UnpackBudget(40 * mebibyte))
    const ends = ['a', 'b'].flatMap((name) => [
      [`d/${name}.zip!0`, 'long'],
      [`d/${name}.zip!1`, 'long'],
      [`d/${name}.zip`, '!too-large'],
    ])
    expect(found).toEqual(Object.fromEntries(ends))
  })

  it('a file may unpack to a quarter of a GiB, or to 200 times its size', () => {
    const budget = new UnpackBudget()
    budget.addUnpacked(256 * mebibyte)
    expect(() => budget.addUnpacked(1)).toThrow('unpacks to more than 256 MiB')
    budget.addPacked(2 * mebibyte)
    budget.addUnpacked(144 * mebibyte - 1)
    expect(() => budget.addUnpacked(1)).toThrow('unpacks to more than 400 MiB')
  })

  it('a gzip bomb ends at the limit of a document', async () => {
    const found = await read(put('bomb.gz', gzipSync(Buffer.alloc(65 * mebibyte))))
    expect(found).toEqual({ 'bomb.gz': '!too-large' })
  })

  it('a member over the limit of a tar is skipped, its neighbors are read', async () => {
    const archive = await tar([
      ['1', '<one/>'],
      ['big', Buffer.alloc(65 * mebibyte, 'x')],
      ['3', '<three/>'],
    ])
    expect(await read(put('t.tar', archive))).toEqual({
      't.tar!1': '<one/>',
      't.tar!big': '!too-large',
      't.tar!3': '<three/>',
    })
  })
})

describe('newline-delimited JSON', () => {
  it('is one document per line with the line in the address; blank lines count', async () => {
    expect(await read(put('r', '\ufeff{"a":1}\r\n\n {"b":2} \nnot json\n{"c":3}'))).toEqual({
      'r#L1': '\ufeff{"a":1}',
      'r#L3': '{"b":2}',
      'r#L4': 'not json',
      'r#L5': '{"c":3}',
    })
    expect(await read(put('z', gzipSync('{"a":1}\n{"b":2}\n')))).toEqual({ 'z#L1': '{"a":1}', 'z#L2': '{"b":2}' })
  })

  it.each(['{\n  "a": 1\n}', '{"a":\n{"b":1}}', '{"a":[\n{"b":1}\n]}', '{"a":1}\n', '[{"a":1},\n{"b":2}]'])(
    'is not seen in %j',
    async (json) => {
      expect(await read(put('one.json', json))).toEqual({ 'one.json': json })
    },
  )

  it('may be larger than a document; a line may not', async () => {
    const line = text(`{"a":"${'x'.repeat(mebibyte)}"}\n`)
    const tooLong = [text('{"b":"'), Buffer.alloc(65 * mebibyte, 'y'), text('"}\n')]
    const path = put(
      'big.jsonl',
      Buffer.concat([...Array.from({ length: 70 }, () => line), ...tooLong, text('{"c":1}')]),
    )
    const kinds = Object.entries(await read(path))
    expect(kinds).toHaveLength(72)
    expect(kinds.slice(69)).toEqual([
      ['big.jsonl#L70', 'long'],
      ['big.jsonl#L71', '!too-large'],
      ['big.jsonl#L72', '{"c":1}'],
    ])
  })
})

it('allows its reader to stop in the middle', async () => {
  const path = put('a.tgz', gzipSync(await tar(texts(50).map((data, index) => [`${index}`, data]))))
  let count = 0
  for await (const _ of readPath(path)) if (++count === 3) break
  expect(count).toBe(3)
  expect(Object.keys(await read(path))).toHaveLength(50)
})
