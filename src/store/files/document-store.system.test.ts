// Raw documents outside the database: the same guarantees for a folder and a bucket, and for a stock that uses them.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import type * as dns from 'node:dns'
import { once } from 'node:events'
import type * as files from 'node:fs/promises'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type S3Store, s3Keys, signatureOf, startS3Store } from '../../../test/imitations/s3-store.ts'
import { seed } from '../../../test/testing/seed.ts'
import { engines, openTestStore } from '../../../test/world.ts'
import { ingest, reparse } from '../../ingest/ingest.ts'
import { systemClock } from '../../platform/clock.ts'
import type { BucketLocation, DocumentLocation } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { Retryable } from '../../platform/http.ts'
import { ForbiddenAddress } from '../../platform/network-rule.ts'
import { systemRandom } from '../../platform/random.ts'
import { countReceived, listParsableDocuments, packDocument } from '../received/documents.ts'
import type { PackedDocument } from './document-store.ts'
import { openDocumentStore } from './open-document-store.ts'

// what the folder does to the disk, in order
const done = vi.hoisted(() => [] as string[])
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof files>()
  return {
    ...real,
    open: async (path: string, ...rest: [string]) => {
      const handle = await real.open(path, ...rest)
      const { sync } = handle
      handle.sync = async () => {
        await sync.call(handle)
        done.push(`flush ${path}`)
      }
      return handle
    },
    writeFile: async (path: string, content: Buffer, options?: { readonly flag: 'wx'; readonly flush?: boolean }) => {
      await real.writeFile(path, content, options)
      if (options?.flush) done.push(`flush ${path}`)
    },
    rename: async (from: string, to: string) => {
      await real.rename(from, to)
      done.push(`name ${from} ${to}`)
    },
  }
})

// AWS's names lead to this machine, as a poisoned resolver could have it
vi.mock('node:dns', async (load) => {
  const real = await load<typeof dns>()
  type Found = (error: null, addresses: readonly { readonly address: string; readonly family: number }[]) => void
  return {
    ...real,
    lookup: (name: string, options: dns.LookupAllOptions, found: Found) =>
      name.endsWith('.amazonaws.com')
        ? found(null, [{ address: '127.0.0.1', family: 4 }])
        : real.lookup(name, options, found as never),
  }
})

const clock = () => Date.UTC(2026, 10, 21, 8, 30)
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function open(place: DocumentLocation, now = clock) {
  const slept: number[] = []
  const store = await openDocumentStore(place, {
    clock: now,
    random: systemRandom,
    sleep: async (ms) => void slept.push(ms),
    version: '1',
  })
  closers.push(store!.close)
  return { ...store!, slept }
}

function placeIn(s3: S3Store): BucketLocation {
  return { kind: 'bucket', bucket: 'stock', prefix: 'raw/', region: 'eu-central-1', endpoint: s3.url, ...s3Keys }
}

async function openS3() {
  const s3 = await startS3Store({ bucket: 'stock', region: 'eu-central-1', clock })
  closers.push(async () => s3[Symbol.asyncDispose]())
  return s3
}

function packed(text: string): PackedDocument {
  const bytes = Buffer.from(text)
  return { documentId: createHash('sha256').update(bytes).digest('hex'), packed: packDocument(bytes) }
}

const some = ['', 'a', '\0\xff', 'made up '.repeat(100_000)].map(packed)

describe.each(['folder', 'bucket'] as const)('documents in a %s', (kind) => {
  const place = async (): Promise<DocumentLocation> =>
    kind === 'folder' ? { kind, path: join(await temporaryFolder(), 'made', 'when missing') } : placeIn(await openS3())

  test('are returned unchanged, even after reopening, and do not exist before', async () => {
    const where = await place()
    const store = await open(where)
    expect(await store.get(some[1]!.documentId)).toBeUndefined()
    await store.put([])
    await store.put(some)
    for (const each of [store, await open(where)])
      for (const { documentId, packed: bytes } of some) expect((await each.get(documentId))?.equals(bytes)).toBe(true)
  })

  test('may be stored again, alone or by two at once', async () => {
    const where = await place()
    const [one, two] = [await open(where), await open(where)]
    await Promise.all([one.put(some), two.put(some), one.put([...some].reverse())])
    await one.put(some)
    for (const { documentId, packed: bytes } of some) expect((await two.get(documentId))?.equals(bytes)).toBe(true)
  })

  test('are gone when they were removed, and no others are', async () => {
    const where = await place()
    const store = await open(where)
    await store.put(some)
    const [first, second, ...others] = some
    const ids = [first!, second!].map(({ documentId }) => documentId)
    await store.remove([])
    await store.remove(ids)
    await store.remove([...ids, packed('never there').documentId])
    const again = await open(where)
    for (const id of ids) expect(await again.get(id)).toBeUndefined()
    for (const { documentId, packed: bytes } of others) expect((await again.get(documentId))?.equals(bytes)).toBe(true)
    await expect(store.remove(['../../etc/passwd'])).rejects.toThrow('no document id')
  })

  test('are not looked up if their ID points elsewhere', async () => {
    const store = await open(await place())
    for (const documentId of ['../../etc/passwd', '', 'A'.repeat(64), `${'a'.repeat(64)}/x`]) {
      await expect(store.get(documentId)).rejects.toThrow('no document id')
      await expect(store.put([{ documentId, packed: Buffer.alloc(1) }])).rejects.toThrow('no document id')
    }
  })
})

describe('a folder', () => {
  test('has every file flushed before it is named, and every name flushed before put returns', async () => {
    const path = await temporaryFolder()
    const store = await open({ kind: 'folder', path })
    for (const documents of [some, some.slice(2), [packed('b'), packed('c')]]) {
      done.length = 0
      await store.put(documents)
      const steps = [...done]
      const named = steps.flatMap((step) =>
        step.startsWith('name ') ? [step.split(' ') as [string, string, string]] : [],
      )
      for (const [, from, to] of named)
        expect(steps.indexOf(`flush ${from}`)).toBeLessThan(steps.indexOf(`name ${from} ${to}`))
      for (const { documentId } of documents) {
        const leaf = join(path, documentId.slice(0, 2), documentId.slice(2, 4))
        const lastName = named.findLastIndex(([, , to]) => dirname(to) === leaf)
        const from = lastName < 0 ? -1 : steps.indexOf(named[lastName]!.join(' '))
        expect(steps.lastIndexOf(`flush ${leaf}`), leaf).toBeGreaterThan(from)
      }
    }
    // and the folders' own names, once
    done.length = 0
    const other = packed('d')
    await store.put([other])
    const leaf = join(path, other.documentId.slice(0, 2), other.documentId.slice(2, 4))
    expect(done.slice(2)).toEqual([`flush ${leaf}`, `flush ${dirname(leaf)}`, `flush ${path}`])
    done.length = 0
    await store.put([other])
    expect(done).toEqual([`flush ${leaf}`])
  })

  test('is made, and is found unusable when it is opened', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'file'), '')
    for (const path of [join(folder, 'file'), join(folder, 'file', 'below'), '/proc/nothing'])
      await expect(open({ kind: 'folder', path }), path).rejects.toThrow(
        /The document folder .* cannot be used \(E[A-Z]+\)/,
      )
    if (process.getuid?.() !== 0) {
      await chmod(folder, 0o500)
      await expect(open({ kind: 'folder', path: folder })).rejects.toBeInstanceOf(OperatorError)
    }
  })

  test('that disappears while it is used is reported in one sentence', async () => {
    const path = await temporaryFolder()
    const store = await open({ kind: 'folder', path })
    await rm(path, { recursive: true })
    await expect(store.put(some)).rejects.toBeInstanceOf(OperatorError)
    expect(await store.get(some[0]!.documentId)).toBeUndefined()
  })

  test('is cleaned of half-written files of a killed process after a day', async () => {
    const path = await temporaryFolder()
    await mkdir(join(path, 'incoming'))
    const [old, young] = [join(path, 'incoming', 'old'), join(path, 'incoming', 'young')]
    for (const [file, hours] of [
      [old, 25],
      [young, 23],
    ] as const) {
      await writeFile(file, 'half')
      await utimes(file, clock() / 1000, clock() / 1000 - hours * 3600)
    }
    await open({ kind: 'folder', path })
    expect(await readdir(join(path, 'incoming'))).toEqual(['young'])
  })

  test('has every acknowledged document complete after 6 kills during writes, and no partial one', async () => {
    const path = await temporaryFolder()
    console.log(`seed ${seed}`)
    const writer = fileURLToPath(new URL('../../../test/crash/keep-documents.ts', import.meta.url))
    const acknowledged = new Set<string>()
    for (let life = 0; life < 6; life += 1) {
      const child = spawn(process.execPath, [writer, path, String(life)], { stdio: ['ignore', 'pipe', 'inherit'] })
      // killed in the middle of some batch: this many documents after the first was acknowledged
      const most = 1 + ((seed * 31 + life * 97) % 200)
      let seen = 0
      const lines = createInterface({ input: child.stdout })
      lines.on('line', (line) => {
        if (line.length === 64) acknowledged.add(line)
        seen += 1
        if (seen === most) child.kill('SIGKILL')
      })
      const [[, signal]] = await Promise.all([once(child, 'exit'), once(lines, 'close')])
      expect(signal).toBe('SIGKILL')
    }
    const store = await open({ kind: 'folder', path })
    expect(acknowledged.size).toBeGreaterThan(6)
    for (const documentId of acknowledged) expect(await store.get(documentId), documentId).toBeDefined()
    const names = await readdir(path, { recursive: true })
    for (const name of names.filter((each) => each.endsWith('.zst'))) {
      const bytes = zstdDecompressSync(await readFile(join(path, name)))
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(basename(name, '.zst'))
    }
  })
})

describe('a bucket', () => {
  test('gets signatures that equal the examples of AWS', () => {
    // the example "GET Object" of the documentation of Signature Version 4, with its made-up key
    const empty = createHash('sha256').update('').digest('hex')
    const signature = signatureOf({
      method: 'GET',
      path: '/test.txt',
      query: '',
      headers: {
        host: 'examplebucket.s3.amazonaws.com',
        range: 'bytes=0-9',
        'x-amz-content-sha256': empty,
        'x-amz-date': '20130524T000000Z',
      },
      signedHeaders: ['host', 'range', 'x-amz-content-sha256', 'x-amz-date'],
      payloadHash: empty,
      time: '20130524T000000Z',
      region: 'us-east-1',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    })
    expect(signature).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
  })

  test('has the same names as a folder, below the prefix', async () => {
    const s3 = await openS3()
    await (await open(placeIn(s3))).put(some)
    const names = some.map(({ documentId: id }) => `stock/raw/${id.slice(0, 2)}/${id.slice(2, 4)}/${id}.zst`)
    expect([...s3.objects.keys()].sort()).toEqual(names.sort())
  })

  test('that is down for a moment is retried; for longer it is an outage', async () => {
    const s3 = await openS3()
    const store = await open(placeIn(s3))
    s3.faults.push(503, 'broken', 429)
    await store.put([some[3]!])
    expect(s3.requests.length).toBe(4)
    expect(store.slept.length).toBe(3)
    s3.faults.push(500, 500, 'broken')
    expect((await store.get(some[3]!.documentId))?.equals(some[3]!.packed)).toBe(true)
    s3.faults.push(503, 503, 503, 503)
    await expect(store.get(some[3]!.documentId)).rejects.toThrow(
      new Retryable('The bucket stock failed 4 times, at last: it answered 503 SlowDown'),
    )
  })

  test('that cannot be reached is named in the error, and the request may be retried', async () => {
    const store = await open({ ...placeIn(await openS3()), endpoint: 'http://127.0.0.1:1' })
    const error = await store.put(some).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Retryable)
    expect((error as Error).message).toMatch(/^The bucket stock failed 4 times, at last: http.* ECONNREFUSED/)
  })

  test('that is wrong, or refuses the keys, is an error for the operator; no message holds a key', async () => {
    const s3 = await openS3()
    const right = placeIn(s3)
    const message = async (place: BucketLocation) => {
      const store = await open(place)
      const error = await store.put(some).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(OperatorError)
      expect((error as Error).message).not.toContain('secret')
      await expect(store.get(some[0]!.documentId)).rejects.toBeInstanceOf(OperatorError)
      return (error as Error).message
    }
    expect(await message({ ...right, secretAccessKey: 'secretly wrong' })).toMatch(
      /403 SignatureDoesNotMatch; check AWS_A/,
    )
    expect(await message({ ...right, region: 'us-east-1' })).toContain('InvalidAccessKeyId')
    expect(await message({ ...right, bucket: 'other' })).toMatch(/404 NoSuchBucket; check that the bucket exists/)
  })

  test('reports that its clock differs too much', async () => {
    const store = await open(placeIn(await openS3()), () => clock() + 16 * 60_000)
    await expect(store.put(some)).rejects.toThrow(
      new OperatorError(
        'bucket-refuses',
        'The bucket stock answered 403 RequestTimeTooSkewed; set the clock of this machine.',
      ),
    )
  })

  test('in the private network is reached only where an endpoint is configured', async () => {
    const { endpoint: _, ...place } = placeIn(await openS3())
    const store = await open(place)
    await expect(store.get(some[0]!.documentId)).rejects.toBeInstanceOf(ForbiddenAddress)
    await expect(store.put(some)).rejects.toBeInstanceOf(ForbiddenAddress)
  })
})

describe.each(engines)('a stock whose documents are outside (%s)', (engine) => {
  const received = ['{"a":1}', '<a/>', 'no format', '<a>\0</a>'].map((text, index) => ({
    address: `a${index}`,
    bytes: Buffer.from(text),
  }))

  test.each(['folder', 'bucket'] as const)('keeps none of their bytes and reads them from the %s', async (kind) => {
    const outside = await open(kind === 'folder' ? { kind, path: await temporaryFolder() } : placeIn(await openS3()))
    await using store = await openTestStore(engine)
    const documents = async function* () {
      yield* received
    }
    await ingest(store, { sourceId: 's', documents: documents(), clock: systemClock, documentStore: outside })
    const rows = await store.db.selectFrom('source_document').select('packed').execute()
    expect(rows).toEqual(received.map(() => ({ packed: null })))
    const kept = await listParsableDocuments(store.db, { after: '', limit: 100 }, outside)
    expect(kept.map(({ bytes }) => Buffer.from(bytes).toString()).sort()).toEqual(
      received.map(({ bytes }) => bytes.toString()).sort(),
    )
    const before = await countReceived(store.db, 1)
    expect((await reparse(store, { clock: systemClock, documentStore: outside })).documents).toBe(received.length)
    expect(await countReceived(store.db, 1)).toEqual(before)
    await expect(reparse(store, { clock: systemClock })).rejects.toThrow(
      /neither in the database nor in the document store/,
    )
  })

  test('may hold some inside and some outside, since the setting may change', async () => {
    const outside = await open({ kind: 'folder', path: await temporaryFolder() })
    await using store = await openTestStore(engine)
    const [first, ...others] = received
    const streamOf = async function* (documents: typeof received) {
      yield* documents
    }
    await ingest(store, { sourceId: 's', documents: streamOf([first!]), clock: systemClock })
    await ingest(store, {
      sourceId: 's',
      documents: streamOf([first!, ...others]),
      clock: systemClock,
      documentStore: outside,
    })
    expect((await listParsableDocuments(store.db, { after: '', limit: 100 }, outside)).length).toBe(received.length)
  })
})
