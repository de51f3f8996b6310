import { describe, expect, test } from 'vitest'
import type { PrintedEvent } from '../../../test/testing/printed-event.ts'
import { systemClock } from '../../platform/clock.ts'
import { type SimulateOptions, simulate } from './simulate.ts'

async function running(
  options: Partial<SimulateOptions>,
  use: (base: string, events: readonly PrintedEvent[]) => Promise<void>,
) {
  const stop = new AbortController()
  const events: PrintedEvent[] = []
  let ready = (_base: string) => {}
  const isReady = new Promise<string>((resolve) => {
    ready = resolve
  })
  const done = simulate({
    sources: [],
    faults: [],
    port: 0,
    speed: 1,
    clock: systemClock,
    stop: stop.signal,
    emit: (event) => {
      events.push(event)
      if (event.event === 'simulating') ready(String(event.base))
    },
    ...options,
  })
  await Promise.race([isReady, done])
  await use(await isReady, events)
  stop.abort()
  await done
  return events
}

describe('tenderstock simulate', () => {
  test('serves every portal, prints the address, and counts its answers', async () => {
    const events = await running({}, async (base) => {
      const reply = await fetch(`${base}/ted.europa.eu/en/release-calendar/-/download/file/CSV/2026`)
      expect(reply.status).toBe(200)
    })
    const portals = events.filter(({ event }) => event === 'simulatedPortal')
    expect(portals.length).toBeGreaterThan(100)
    expect(portals.find(({ source }) => source === 'doe')?.hosts).toContain('oeffentlichevergabe.de')
    expect(events.at(-1)).toMatchObject({ event: 'simulated', requests: 1, faults: {} })
  })

  test('serves only named portals, with a fault, and with their own time', async () => {
    const calendar = 'ted.europa.eu/en/release-calendar/-/download/file/CSV/2026'
    const events = await running({ sources: ['ted'], faults: ['rate-limit=1'], speed: 1000 }, async (base) => {
      const statuses = [
        await fetch(`${base}/${calendar}`),
        await fetch(`${base}/${calendar}`),
        await fetch(`${base}/${calendar}`),
      ]
      expect(statuses.map(({ status }) => status)).toEqual([429, 429, 200])
      expect((await fetch(`${base}/oeffentlichevergabe.de/`)).status).toBe(404)
    })
    expect(events.at(-1)).toMatchObject({ event: 'simulated', faults: { 'rate-limit': 2 } })
  })

  test.each([
    [{ sources: ['nowhere'] }, 'There is no source "nowhere"'],
    [{ faults: ['nonsense'] }, 'There is no fault "nonsense"'],
    [{ faults: ['reset=2'] }, 'The share of a fault is a number from 0 to 1'],
    [{ corpus: '/nowhere' }, 'holds no collected notices'],
  ])('%j is reported in a sentence', async (options, sentence) => {
    const nothing = {
      sources: [],
      faults: [],
      port: 0,
      speed: 1,
      clock: systemClock,
      emit: () => {},
      stop: AbortSignal.abort(),
    }
    await expect(simulate({ ...nothing, ...options })).rejects.toThrow(sentence)
  })
})
