// An Owner asks for mails about incidents and maintenance on a page of the console, and hears what the status says.
import { afterEach, describe, expect, test } from 'vitest'
import { hourMs, minuteMs, toInstant } from '../../src/domain/time.ts'
import type { Config } from '../../src/platform/config.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'

const at = '/me/status-mails'
const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

describe.each(drawnEngines)('mails about the service (%s)', (engine) => {
  async function open(
    config: Config = { mail: { host: 'mail.example.org', port: 25, security: 'none', from: 'tenders@example.org' } },
  ) {
    const world = await openConsoleWorld(engine, { config })
    opened.push(world)
    const acme = await world.organization('Acme')
    const owner = await world.person('owner@example.org', { memberOf: [[acme, 'owner']] })
    const text = async (path: string, who?: string) => (await world.get(path, who)).text()
    return {
      ...world,
      acme,
      text,
      owner: owner.cookie,
      mails: async () => {
        const rows = await world.store.db
          .selectFrom('mail')
          .select(['person', 'content'])
          .orderBy('created_at')
          .execute()
        return rows.map(({ person, content }) => `${person} ${JSON.parse(content).data.event}`)
      },
    }
  }

  test('arrive from the click of an Owner until the next, for what is written at the desk and done by command', async () => {
    const { text, post, owner, person, mails, wait, command, now } = await open()
    const { cookie: operator } = await person('op@example.org', { isOperator: true })
    const announce = async (title: string) => {
      wait(minuteMs)
      const form = fieldsOf(await text('/operator/incidents', operator), '/operator/incidents')
      expect((await post('/operator/incidents', { ...form, title, detail: 'Wait.' }, operator)).status).toBe(303)
    }
    await announce('Before')
    expect(await text('/me', owner)).toContain(`href="${at}"`)
    expect(await text('/status')).toContain(`href="${at}"`)
    expect(await text(at, owner)).toContain('You do not receive these mails')
    expect((await post(at, { do: 'begin' }, owner)).headers.get('location')).toBe(at)
    expect(await text(at, owner)).toContain('You receive these mails')
    await announce('After')
    wait(minuteMs)
    const until = now() + hourMs
    await command({ command: 'maintenance on', options: { until: toInstant(until) } })
    wait(2 * minuteMs)
    const [page, feed] = [await text('/status'), await text('/status.atom')]
    for (const each of [page, feed]) expect(each).toContain('Maintenance: the API is closed')
    expect(feed).toContain('23 Nov 2026, 08:03 to 23 Nov 2026, 09:03 UTC')
    await command({ command: 'maintenance off' })
    expect(await mails()).toEqual(['owner@example.org began', 'owner@example.org began', 'owner@example.org ended'])
    wait(2 * minuteMs)
    expect(await text('/status.atom')).toContain('23 Nov 2026, 08:03 to 23 Nov 2026, 08:05 UTC')
    await post(at, { do: 'end' }, owner)
    expect(await text(at, owner)).toContain('You do not receive these mails')
    await announce('Later')
    expect(await mails()).toHaveLength(3)
  })

  test('are for Owners, and for a service that sends mails', async () => {
    const { text, post, acme, person } = await open()
    const { cookie } = await person('member@example.org', { memberOf: [[acme, 'member']] })
    expect(await text(at, cookie)).toContain('These mails are for Owners')
    expect((await post(at, { do: 'begin' }, cookie)).status).toBe(403)
    const silent = await open({})
    expect(await silent.text(at, silent.owner)).toContain('This service sends no mails')
    expect(await silent.text('/status')).not.toContain(at)
    expect((await silent.post(at, { do: 'begin' }, silent.owner)).status).toBe(409)
  })
})
