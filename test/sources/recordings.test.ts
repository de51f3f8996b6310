// Recordings of `source check --record` replace the portal. REPLAY_DIR names a folder of them (one for each source,
// each with an `expected.json`) that is replayed too.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Notice } from '../../src/domain/notice.ts'
import { checkSource } from '../../src/ingest/check-source.ts'
import { openRecording, Recorder } from '../../src/ingest/recordings.ts'
import { loadSources } from '../../src/sources/registry.ts'
import { simulatedPortals } from './simulated-portals.ts'

const sources = await loadSources()
const signal = new AbortController().signal
const scratchFolder = await mkdtemp(join(tmpdir(), 'tenderstock-replay-'))
afterAll(() => rm(scratchFolder, { recursive: true, force: true }))

/** What a person reads in the first entries of a recording; absent members are not compared. */
type Expected = {
  readonly title?: string
  readonly authority?: string
  /** ISO 8601. */
  readonly deadline?: string
  readonly value?: number
  readonly cpv?: readonly string[]
}

const shownOf = (notice: Notice): Required<{ [K in keyof Expected]: Expected[K] | undefined }> => ({
  title: Object.values(notice.title ?? {})[0],
  authority: notice.contractingAuthorities[0]?.name,
  deadline: notice.submissionDate,
  value: (notice.estimatedValue ?? notice.awardedValue)?.value,
  cpv: notice.cpvCodes,
})

async function replay(folder: string) {
  const { check, send } = await openRecording(folder)
  const source = sources.get(check.sourceId)
  if (!source) throw new Error(`${folder} is a recording of ${check.sourceId}, which is no source`)
  const notices: Notice[] = []
  const result = await checkSource(source, {
    send,
    key: source.access.kind === 'open' ? undefined : 'REMOVED',
    now: () => Date.parse(check.recordedAt),
    scratchFolder,
    signal,
    onNotice: (notice) => notices.push(notice),
  })
  return { result, notices }
}

describe('a recording of simulated portals', () => {
  // a list with details, an OCDS package by pages, rows by offset, an archive, a feed by links
  it.each(['ch-simap', 'gb-find-a-tender', 'es-catalunya', 'it-anac', 'ua-prozorro', 'us-sam'])(
    '%s: its replay gives the same notices',
    async (id) => {
      const source = sources.get(id)!
      await using portals = await simulatedPortals([source], { seed: 'recordings' })
      const { hosts, keyOf } = portals.runOptions('a check')
      const key = source.access.kind === 'open' ? undefined : keyOf(source.access.setting)
      const recorder = new Recorder(hosts.openConnection({ source, key, signal }).send, key)
      const recordedAt = new Date(portals.clock()).toISOString()
      const seen: Notice[] = []
      const first = await checkSource(source, {
        send: recorder.send,
        key,
        now: () => Date.parse(recordedAt),
        scratchFolder,
        signal,
        onNotice: (notice) => seen.push(notice),
      })
      const folder = join(scratchFolder, id)
      await recorder.write(folder, { sourceId: id, recordedAt })
      const { result, notices } = await replay(folder)
      expect(result.verdict).toBe(first.verdict)
      expect(notices.map(({ noticeKey }) => noticeKey)).toEqual(seen.map(({ noticeKey }) => noticeKey))
      expect(notices.map(shownOf)).toEqual(seen.map(shownOf))
      expect(notices.length).toBeGreaterThan(0)
    },
  )
})

const foreign = process.env['REPLAY_DIR']
const folders = foreign === undefined ? [] : readdirSync(foreign).map((name) => join(foreign, name))

describe.skipIf(folders.length === 0)('the recordings in REPLAY_DIR', () => {
  it.each(folders)('%s', async (folder) => {
    const { result, notices } = await replay(folder)
    expect(result.findings).toEqual([])
    const file = join(folder, 'expected.json')
    if (!existsSync(file)) throw new Error(`${file} is missing: write down what the first entries say`)
    const expected = JSON.parse(readFileSync(file, 'utf8')) as readonly Expected[]
    expect(notices.slice(0, expected.length).map(shownOf)).toMatchObject(expected)
  })
})
