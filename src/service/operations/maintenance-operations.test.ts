// Which ends of a maintenance are refused, with one sentence each, before anything is changed.
import { expect, test } from 'vitest'
import { dayMs } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import { beginMaintenance } from './maintenance-operations.ts'

const now = Date.UTC(2026, 10, 23, 12)

test('maintenance may last exactly seven days: the end passes the checks, and the store is asked', async () => {
  const asked = new Error('the store was asked')
  const context = {
    clock: () => now,
    get store(): never {
      throw asked
    },
  } as unknown as ServiceContext
  const request = {
    command: 'maintenance on',
    options: { until: new Date(now + 7 * dayMs).toISOString() },
    operands: [],
  }
  await expect(beginMaintenance(context, request, () => {})).rejects.toBe(asked)
})

test.each([
  ['2026-11-23T12:00:00.000Z', /is in the past: it is now 2026-11-23T12:00:00\.000Z/],
  ['2026-11-23T12:30+01:00', /^2026-11-23T11:30:00\.000Z is in the past/],
  [new Date(now + 7 * dayMs + 1).toISOString(), /at most 7 days: name a time up to 2026-11-30T12:00:00\.000Z/],
  ['2026-11-31T00:00Z', /takes a time with its zone/],
  ['2026-11-24T25:00Z', /takes a time with its zone/],
  ['2026-11-24T06:00', /takes a time with its zone/],
  ['tomorrow', /not "tomorrow"/],
])('maintenance on --until %s', async (until, says) => {
  const context = { clock: () => now } as ServiceContext
  const request = { command: 'maintenance on', options: { until }, operands: [] }
  const refusal = await beginMaintenance(context, request, () => {}).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(OperatorError)
  expect(refusal).toMatchObject({ exitCode: 2, message: expect.stringMatching(says) })
})
