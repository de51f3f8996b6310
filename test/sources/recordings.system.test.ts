// Recordings of portals replace them: those that simulated portals give, those in the folder `recordings` beside this
// file, and those in the folder that REPLAY_DIR names. Each has an `expected.json`.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Notice } from '../../src/domain/notice.ts'
import { checkSource } from '../../src/ingest/check-source.ts'
import { Recorder } from '../../src/ingest/recordings.ts'
import { loadSources } from '../../src/sources/registry.ts'
import { expectedIn, recordingsIn, replayRecording, shownLike } from './replay-recording.ts'
import { simulatedPortals } from './simulated-portals.ts'

const sources = await loadSources()
const signal = new AbortController().signal
const scratchFolder = await mkdtemp(join(tmpdir(), 'tenderstock-replay-'))
afterAll(() => rm(scratchFolder, { recursive: true, force: true }))

const replay = (folder: string) => replayRecording(folder, { sources, scratchFolder })
const saidBy = (notice: Notice) => ({
  title: notice.title,
  authority: notice.contractingAuthorities[0]?.name,
  deadline: notice.submissionDate,
  value: (notice.estimatedValue ?? notice.awardedValue)?.value,
  cpv: notice.cpvCodes,
})

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
      const { findings, notices } = await replay(folder)
      expect(findings).toEqual(first.findings)
      expect(notices.map(({ noticeKey }) => noticeKey)).toEqual(seen.map(({ noticeKey }) => noticeKey))
      expect(notices.map(saidBy)).toEqual(seen.map(saidBy))
      expect(notices.length).toBeGreaterThan(0)
    },
  )
})

describe('a recording that somebody else put together', () => {
  const row = {
    codi_expedient: '17/2026',
    nom_organ: 'Ajuntament de Vila-roca',
    tipus_contracte: 'Obres',
    fase_publicacio: 'Anunci de licitació',
    objecte_contracte: 'Reforma del pont',
    valor_estimat_contracte: '250000',
    codi_cpv: '45221111-3',
    data_publicacio_anunci: '2026-11-16T10:00:00.000',
    termini_presentacio_ofertes: '2026-12-30T12:00:00.000',
  }
  const expected = {
    title: 'Reforma del pont',
    authority: 'Ajuntament de Vila-roca',
    deadline: '2026-12-30T12:00:00+01:00',
    value: 250_000,
    cpv: ['45221111'],
  }
  const url = 'https://analisi.transparenciacatalunya.cat/resource/ybgg-dgi6.json?$limit=1'

  async function foreign(name: string, body: unknown, inner = ''): Promise<string> {
    const folder = join(scratchFolder, 'foreign', name)
    await mkdir(join(folder, inner), { recursive: true })
    await writeFile(join(folder, inner, 'request.json'), JSON.stringify({ url }))
    await writeFile(
      join(folder, inner, 'response.json'),
      JSON.stringify({ status: 200, headers: { 'Content-Type': 'application/json' } }),
    )
    await writeFile(join(folder, inner, 'body'), JSON.stringify(body))
    await writeFile(join(folder, 'expected.json'), JSON.stringify(expected))
    return folder
  }

  it.each([
    ['one row, found by its host', 'a', row, ''],
    ['a list, found by its host', 'b', [row], ''],
    ['a numbered exchange, found by the name of the folder', 'es-catalunya', [row], '01'],
  ])('%s', async (_, name, body, inner) => {
    const folder = await foreign(name, body, inner)
    const { findings, notices } = await replay(folder)
    expect(findings).toEqual([])
    expect(shownLike(notices, expectedIn(folder))).toEqual(expectedIn(folder))
  })

  it.each(Object.entries({ title: 'Pont', authority: 'Vila', deadline: '2026-12-30T12:00:00Z', value: 1, cpv: [] }))(
    'that says another %s than expected is found out',
    async (member, value) => {
      const { notices } = await replay(await foreign(`wrong-${member}`, row))
      const wrong = [{ ...expected, [member]: value }]
      expect(shownLike(notices, wrong)).not.toEqual(wrong)
    },
  )

  it('with more entries expected than it has is found out', async () => {
    const { notices } = await replay(await foreign('short', row))
    expect(shownLike(notices, [expected, expected])).not.toEqual([expected, expected])
  })
})

const own = join(import.meta.dirname, 'recordings')
const folders = [own, process.env['REPLAY_DIR']].flatMap((folder) =>
  folder !== undefined && existsSync(folder) ? recordingsIn(folder) : [],
)

it('REPLAY_DIR names a folder with recordings', () => {
  const named = process.env['REPLAY_DIR']
  expect(named === undefined || recordingsIn(named).length > 0).toBe(true)
})

describe('recordings in folders', () => {
  it.each(folders)('%s', async (folder) => {
    const { findings, notices } = await replay(folder)
    const expected = expectedIn(folder)
    expect(expected.length).toBeGreaterThan(0)
    expect(findings).toEqual([])
    expect(shownLike(notices, expected)).toEqual(expected)
  })
})
