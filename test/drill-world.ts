// A stock that is published, backed up and drilled, each as often as a test wants.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { publish } from '../src/publish/publish.ts'
import type { EventOf } from '../src/service/events/command-event.ts'
import { drill } from '../src/service/operations/drill.ts'
import { putNumbered, startOfStock } from './numbered-tenders.ts'
import { runOperation, serviceContext } from './operations-world.ts'
import { drawnEngines, openTestStore } from './world.ts'

/** `shelf`: below which place the backups are, default a folder. */
export async function openDrillWorld(given: { readonly shelf?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-drills-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [backups, scratch, dataFolder] = ['backups', 'scratch', 'data'].map((name) => join(folder, name))
  for (const path of [backups!, scratch!, dataFolder!]) await mkdir(path)
  const shelf = given.shelf ?? backups!
  const store = await openTestStore(drawnEngines[0]!)
  onTestFinished(() => store[Symbol.asyncDispose]())
  const context = serviceContext({ store, dataFolder: dataFolder! })
  let hour = 0
  const publishNext = async () => {
    await putNumbered(store, 0, 20, ++hour)
    const now = startOfStock + hour * hourMs + 1
    expect(await publish(store, { now, minIntervalMs: hourMs, overrideGate: true })).toMatchObject({
      kind: 'published',
    })
  }
  const backUp = (name: string) =>
    runOperation(context, { command: 'backup', operands: [`${shelf}/${name}`], options: {} }, () => {})
  const run = async (options: object = {}) => {
    const warnings: string[] = []
    let drilled: EventOf<'drilled'> | undefined
    const code = await drill(
      {
        dataFolder: dataFolder!,
        version: 'test',
        tellStock: (location, facts) =>
          runOperation(context, { command: 'drill', operands: [location], options: facts }, () => {}),
      },
      { command: 'drill', operands: [shelf], options: { scratch, ...options } },
      (event) => {
        if (event.event === 'drilled') drilled = event
        if (event.event === 'warning') warnings.push(event.message)
      },
    )
    expect(await readdir(scratch!)).toEqual([])
    return { code, drilled, warnings }
  }
  return { store, shelf, dataFolder: dataFolder!, publishNext, backUp, run }
}
