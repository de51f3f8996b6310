// A process leaves files that are not durable yet, the next one builds on them, and then the power fails.
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type CrmLedger, openCrmLedger } from '../../client/src/sinks/crm/crm-ledger.ts'
import { execSink } from '../../client/src/sinks/exec-sink.ts'
import type { Run, Sink } from '../../client/src/sync/sink.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import type { Gate } from '../simulation/memory-sink.ts'
import { mountDisk, SimulatedDisk } from '../simulation/simulated-disk.ts'
import type { Random } from '../testing/generate/random.ts'

const never = new Promise<never>(() => {})
const tender = (id: string) =>
  ({ id, lastModified: '2026-11-02T08:00:00.000Z', status: 'open' }) as unknown as TenderRecord
const run: Run = { kind: 'delta', filterHash: 'all', resumed: false, keepArchived: true }
/** Only what was durable survives the power cut. */
const nothing = { integer: () => 0, chance: () => false } as unknown as Random

it('what a program accepted is still known after a kill and then a power cut', async () => {
  const disk = new SimulatedDisk()
  const out = join(await mkdtemp(join(tmpdir(), 'exec-')), 'taken')
  /**
   * Uses the sink in a separate process, which is killed when the program has accepted the records, before the log is
   * durable.
   */
  async function runUntilKilled(use: (sink: Sink) => Promise<unknown>): Promise<void> {
    let isGiven = false
    let kill = (): void => {}
    const isKilled = new Promise<void>((resolve) => {
      kill = resolve
    })
    const gate = (async (name: string, act: () => unknown) => {
      if (name === 'disk: rename to /exec/given.json') isGiven = true
      if (isGiven && name === 'disk: sync of /exec/changes.log') {
        kill()
        return never
      }
      return act()
    }) as Gate
    const { folder, unmount } = mountDisk(disk, gate)
    const sink = execSink({ command: ['sh', '-c', `cat >>${out}`], folder: `${folder}/exec` })
    await Promise.race([use(sink), isKilled])
    unmount()
  }
  const take = (record: TenderRecord) => async (sink: Sink) => {
    await sink.begin(run)
    await sink.upsert([record])
    await sink.commit({ schema: 1, filterHash: run.filterHash }, 'page')
  }
  await runUntilKilled(take(tender('a')))
  await runUntilKilled(take(tender('b')))
  disk.cutPower(nothing)

  expect((await readFile(out, 'utf8')).match(/"id":"."/g)).toEqual(['"id":"a"', '"id":"b"'])
  await runUntilKilled(async (sink) => {
    await sink.begin(run)
    expect([...(await sink.held(['a', 'b'])).keys()]).toEqual(['a', 'b'])
  })
})

it('what was sent to a CRM is still known when the name of its ledger was not durable', async () => {
  const disk = new SimulatedDisk()
  /** Opens the ledger in a separate process. */
  async function use<Result>(run: (ledger: CrmLedger) => Promise<Result>, gate: Gate): Promise<Result> {
    const { folder, unmount } = mountDisk(disk, gate)
    try {
      return await run(await openCrmLedger(`${folder}/crm/ledger`, 'mapping'))
    } finally {
      unmount()
    }
  }
  const works = (async (_: string, act: () => unknown) => act()) as Gate
  const cannotSync = (async (name: string, act: () => unknown) => {
    if (name === 'disk: sync of the names') throw new Error('no space left on device')
    return act()
  }) as Gate
  const save = async (ledger: CrmLedger) => {
    ledger.set({ id: 'a', lastModified: '2026-11-02T08:00:00.000Z' })
    await ledger.save()
  }
  await expect(use(save, cannotSync)).rejects.toThrow('no space')
  await use(async (ledger) => expect(ledger.get('a')).toBeDefined(), works)
  disk.cutPower(nothing)
  await use(async (ledger) => expect(ledger.get('a')).toBeDefined(), works)
})
