// What the commands about sources refuse before they read the stock.
import { expect, test } from 'vitest'
import { systemRandom } from '../../platform/random.ts'
import type { Store } from '../../store/database/database.ts'
import { type CheckContext, checkSources, listSources, type ReadingContext, runSourceNow } from './source-operations.ts'

test('`source list` names a country that no source has, instead of an empty list', async () => {
  const context = { store: {} as Store, clock: () => 0, keyOf: () => undefined }
  for (const country of ['Germany', 'uk', 'X'])
    await expect(
      listSources(context, { command: 'source list', options: { country }, operands: [] }, () => {}),
    ).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(`"${country}"`) })
})

test('`source run` does not skip slots that are named without their channel', async () => {
  const request = { command: 'source run', options: { slot: ['2026-11-20'] }, operands: ['fr-boamp'] }
  await expect(runSourceNow({} as ReadingContext, request, () => {})).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('--slot needs --channel; fr-boamp has daily'),
  })
})

test('`source run` does not call nothing due what a stopping service cannot read', async () => {
  const request = { command: 'source run', options: {}, operands: ['fr-boamp'] }
  const context = { signal: AbortSignal.abort() } as ReadingContext
  await expect(runSourceNow(context, request, () => {})).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('The service is stopping'),
  })
})

test('`source check --all` takes no ids', async () => {
  const request = { command: 'source check', options: { all: true }, operands: ['doe'] }
  await expect(checkSources({} as CheckContext, request, () => {})).rejects.toMatchObject({
    exitCode: 2,
    message: 'Name sources or pass --all, not both: --all checks every active source.',
  })
})

test('`source check` refuses a report that cannot be written, before it asks a portal', async () => {
  const context = {
    dataFolder: '/proc/tenderstock',
    config: {},
    version: 'test',
    random: systemRandom,
    clock: () => 0,
    keyOf: () => undefined,
  }
  const options = { simulator: 'http://127.0.0.1:9', report: '/proc/report.md' }
  const events: object[] = []
  const request = { command: 'source check', options, operands: ['doe'] }
  await expect(checkSources(context, request, (event) => events.push(event))).rejects.toThrow(
    /^The folder \/proc cannot be used for a report \(E\w+\)/,
  )
  expect(events).toEqual([])
})
