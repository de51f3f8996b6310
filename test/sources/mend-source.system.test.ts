// Ten portals each that rename a member, move to another host, and put their list elsewhere: the command records what
// they answer, makes a test of it, and names the card or its parser, the lost member and the new one.
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Retryable } from '../../src/platform/http.ts'
import { systemRandom } from '../../src/platform/random.ts'
import type { EventOf } from '../../src/service/events/command-event.ts'
import { mendSource } from '../../src/service/operations/mend-source.ts'
import { ownWriters } from '../../src/simulator/portals/own-writers.ts'
import type { FetchContext, SourceReply } from '../../src/sources/fetch.ts'
import { namesInDocument } from '../../src/sources/names-in-document.ts'
import { loadSources } from '../../src/sources/registry.ts'
import { expectedIn, replayRecording, shownLike } from './replay-recording.ts'
import { type SimulatedPortals, simulatedPortals } from './simulated-portals.ts'

const sources = await loadSources()
const root = join(import.meta.dirname, '../..')
let portals: SimulatedPortals
let folder: string

/** Portals that write a shape of their own in JSON, whose documents come with the list. */
const chosen = [...sources.values()]
  .filter(({ id, channels }) => ownWriters[id] && JSON.stringify(channels[0].delivery).includes('"format":"json"'))
  .slice(0, 30)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenderstock-mend-'))
  portals = await simulatedPortals(chosen, { seed: 'mend' })
})
afterAll(async () => {
  await portals[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the command on a portal whose answers are changed. */
async function mend(
  id: string,
  name: string,
  change: (reply: SourceReply, redirect: (target: URL) => void) => Promise<SourceReply>,
) {
  const { hosts } = portals.runOptions('mend')
  const changed = {
    ...hosts,
    openConnection: (run: Parameters<typeof hosts.openConnection>[0]) => {
      const connection = hosts.openConnection(run)
      const send: FetchContext['send'] = async (request) =>
        change(await connection.send(request), run.onRedirect ?? (() => {}))
      return { ...connection, send }
    },
  }
  const shelf = join(folder, name)
  let diagnosed: EventOf<'sourceDiagnosed'> | undefined
  let documents = 0
  const code = await mendSource(
    {
      clock: portals.clock,
      keyOf: () => 'a-key-for-tests',
      dataFolder: folder,
      config: {},
      version: 'test',
      random: systemRandom,
      samplePortals: () => ({ hosts: changed, sourceOf: (sourceId) => sources.get(sourceId) }),
    },
    { command: 'source mend', operands: [id], options: { record: shelf } },
    (event) => {
      if (event.event === 'sourceDiagnosed') diagnosed = event
      if (event.event === 'sourceChecked') documents = event.documents
    },
  )
  return { code, diagnosed, documents, recording: join(shelf, id) }
}

/** The reply with another text. */
async function rewritten(reply: SourceReply, change: (text: string) => string): Promise<SourceReply> {
  const bytes = Buffer.from(change(Buffer.from(await reply.bytes()).toString()))
  return {
    ...reply,
    bytes: () => Promise.resolve(bytes),
    chunks: async function* () {
      yield bytes
    },
  }
}

const replay = (recording: string) => replayRecording(recording, { sources, scratchFolder: folder })

describe('a portal that is as its card says', () => {
  test('leaves nothing', async () => {
    const { id } = chosen[0]!
    const { code, diagnosed, recording } = await mend(id, 'well', (reply) => Promise.resolve(reply))
    expect([code, diagnosed, existsSync(recording)]).toEqual([0, undefined, false])
  })
})

describe('ten portals', () => {
  test('that renamed a member: the parser, the lost name and the new one are named', async () => {
    let [named, hasAnother] = [0, 0]
    const missed: string[] = []
    for (const { id } of chosen) {
      if (named === 10) break
      const sample = portals.shelf.entries({ ...sources.get(id)!, writeSample: ownWriters[id] }, portals.clock())
      const call = sample.filter((each) => each.sample?.kind === 'call').at(-1)
      const title = call?.sample?.title
      const text = call?.text() ?? ''
      // the member that holds the title, if its name occurs once in the card's own files
      const member = title && /^\{/.test(text) ? memberOf(JSON.parse(text) as object, title) : undefined
      if (member === undefined) continue
      // it publishes nothing of this kind in the spans of a check, or its list needs the member, too
      let isThere = false
      const { code, diagnosed, documents, recording } = await mend(id, 'renamed', (reply) =>
        rewritten(reply, (body) => {
          isThere ||= body.includes(`"${member}":`)
          return body.replaceAll(`"${member}":`, `"${member}_neu":`)
        }),
      )
      if (documents === 0 || !isThere) continue
      expect([id, code, diagnosed?.kind], JSON.stringify(diagnosed)).toEqual([id, 6, 'fields'])
      const lost = diagnosed!.lost.find(({ name }) => name.endsWith(`/${member}`))
      if (!lost?.now?.endsWith(`/${member}_neu`)) {
        missed.push(`${id} ${member}`)
        continue
      }
      named += 1
      expect(readFileSync(join(root, diagnosed!.file), 'utf8'), id).toContain(member)
      // its test fails, or nothing that it compares is lost, as the parser has another member to read
      const expected = expectedIn(recording)
      const { findings, notices } = await replay(recording)
      const isSame = findings.length === 0 && JSON.stringify(shownLike(notices, expected)) === JSON.stringify(expected)
      if (isSame) hasAnother += 1
    }
    expect([named, missed.length], missed.join()).toEqual([10, 1])
    expect(hasAnother).toBeLessThan(4)
  }, 300_000)

  test('that are gone, and nobody says where to: the card and what may know the new address are named', async () => {
    for (const { id, homepage, clients = [] } of chosen.slice(0, 10)) {
      const { code, diagnosed } = await mend(id, 'gone', () =>
        Promise.reject(new Retryable('no such host', { reason: 'no-answer' })),
      )
      expect([id, code, diagnosed?.kind, diagnosed?.host]).toEqual([id, 6, 'moved', null])
      expect(diagnosed!.lookAt).toEqual(expect.arrayContaining([homepage, ...clients]))
      expect(readFileSync(join(root, diagnosed!.file), 'utf8')).toContain(homepage)
    }
  }, 300_000)

  test('that moved: the card is named', async () => {
    for (const { id } of chosen.slice(0, 10)) {
      const { code, diagnosed, recording } = await mend(id, 'moved', (_reply, redirect) => {
        redirect(new URL('https://new.example/'))
        return Promise.reject(new Retryable('no such host', { reason: 'no-answer' }))
      })
      expect([id, code, diagnosed]).toMatchObject([id, 6, { kind: 'moved', host: 'new.example', lookAt: [] }])
      const card = readFileSync(join(root, diagnosed!.file), 'utf8')
      expect(card).toContain(`id: '${id}'`)
      expect((await replay(recording)).findings.length).toBeGreaterThan(0)
    }
  }, 300_000)

  test('that show a page for people at the old address: the card is named, and what may know the new one', async () => {
    const page = '<!DOCTYPE html><html><head><title>Moved</title></head><body><h1>We have moved</h1></body></html>'
    for (const { id, homepage } of chosen.slice(0, 10)) {
      const { code, diagnosed } = await mend(id, 'page', (reply) => rewritten(reply, () => page))
      expect([id, code, diagnosed]).toMatchObject([id, 6, { kind: 'moved', host: null }])
      expect(diagnosed!.lookAt).toContain(homepage)
    }
  }, 300_000)

  test('that has no file for any day: the card is named, and not its list', async () => {
    const { code, diagnosed } = await mend('bg-eop', 'missing', (reply) => Promise.resolve({ ...reply, status: 404 }))
    expect([code, diagnosed]).toMatchObject([6, { kind: 'moved', file: 'src/sources/portals/bg/eop.ts', lost: [] }])
  }, 300_000)

  test('that put their list elsewhere: the card is named', async () => {
    let [tried, named] = [0, 0]
    for (const { id } of chosen) {
      if (tried === 10) break
      let isList = false
      const { code, diagnosed } = await mend(id, 'list', (reply) =>
        rewritten(reply, (body) => {
          isList ||= body.trimStart().startsWith('{')
          return isList ? JSON.stringify({ reply: { page: JSON.parse(body) as unknown } }) : body
        }),
      )
      if (!isList) continue
      tried += 1
      expect([id, code], JSON.stringify(diagnosed)).toEqual([id, 6])
      expect([id, diagnosed!.kind]).toEqual([id, 'list'])
      expect(readFileSync(join(root, diagnosed!.file), 'utf8')).toContain(`id: '${id}'`)
      // where a member is now, if the answer has it anywhere
      if (diagnosed!.lost.some(({ now }) => now?.startsWith('/reply/page/'))) named += 1
    }
    expect([tried, named]).toEqual([10, 7])
  }, 300_000)
})

/** The name of the member, at any depth, that holds this text and occurs once among the names of the document. */
function memberOf(document: object, text: string): string | undefined {
  const found: string[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, each] of Object.entries(value)) {
      if (each === text && !Array.isArray(value)) found.push(name)
      walk(each)
    }
  }
  walk(document)
  const names = [...namesInDocument(Buffer.from(JSON.stringify(document)))].filter((name) => !name.includes('='))
  return found.find((name) => names.filter((each) => each.endsWith(`/${name}`)).length === 1)
}
