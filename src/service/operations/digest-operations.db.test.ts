// The operator's commands about digests, and the page behind "Unsubscribe".
import { afterEach, describe, expect, test } from 'vitest'
import { addSearch, openDigestWorld } from '../../../test/digests/digest-world.ts'
import { runOperation } from '../../../test/operations-world.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import type { CommandName } from '../../cli/command-table.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom } from '../../platform/random.ts'
import { openDatabaseClock } from '../../store/database/database-clock.ts'
import { noteExportConcern, noteExported } from '../../store/editions/edition-export.ts'
import { listDigests } from '../../store/hits/digests.ts'
import { createOrganization } from '../../store/people/organizations.ts'
import { workQueue } from '../control/work-queue.ts'
import type { CommandEvent, EventOf } from '../events/command-event.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
const mail = { host: '127.0.0.1', port: 25, security: 'none', from: 'tenders@example.org' } as const

describe.each(drawnEngines)('digest commands (%s)', (engine) => {
  async function opened() {
    const store = await openTestStore(engine)
    closers.push(() => store[Symbol.asyncDispose]())
    const world = await openDigestWorld(store)
    const run = async (
      command: CommandName,
      operands: readonly string[] = [],
      options: { readonly [name: string]: unknown } = {},
      config: { readonly mail?: typeof mail } = { mail },
    ) => {
      const events: CommandEvent[] = []
      await runOperation(
        {
          store,
          dataFolder: store.options.dataFolder,
          clock: world.clock,
          wallClock: world.clock,
          random: systemRandom,
          queue: workQueue(),
          keyOf: () => undefined,
          config,
          version: 'test',
          databaseClock: openDatabaseClock(world.clock),
        },
        { command, operands, options },
        (event) => events.push(event),
      )
      return events
    }
    const wanted = { organization: 'Acme', search: 'Roads', to: 'anna@example.org' }
    return { store, world, run, wanted }
  }

  test('a digest is created, listed, changed and removed', async () => {
    const { run, wanted } = await opened()
    const [made] = (await run('digest create', [], { ...wanted, zone: 'europe/berlin' })) as [EventOf<'digest'>]
    expect(made).toMatchObject({
      event: 'digest',
      search: 'Roads',
      organization: 'Acme',
      person: 'anna@example.org',
      rhythm: 'daily',
      hour: 7,
      zone: 'Europe/Berlin',
      mailsSent: 0,
      nextAt: Date.parse('2026-11-21T06:00:00Z'),
    })
    expect(await run('digest list', [], { organization: 'Acme' })).toEqual([made])
    const [changed] = await run('digest edit', [made.id.toUpperCase()], { rhythm: 'weekly', hour: 9 })
    expect(changed).toEqual({ ...made, rhythm: 'weekly', hour: 9, nextAt: Date.parse('2026-11-23T08:00:00Z') })
    const [atOnce] = await run('digest edit', [made.id], { rhythm: 'at-once' })
    expect(atOnce).toMatchObject({ rhythm: 'atOnce', hour: 9, nextAt: null })
    expect(await run('digest remove', [made.id])).toEqual([
      { event: 'digestRemoved', id: made.id, search: 'Roads', person: 'anna@example.org' },
    ])
    expect(await run('digest list')).toMatchObject([{ event: 'none' }])
  })

  test('without settings for mail every answer says that digests wait, and status does', async () => {
    const { run, wanted } = await opened()
    const warning = { event: 'warning', message: expect.stringContaining('TENDERSTOCK_SMTP_URL') }
    expect(await run('digest create', [], wanted, {})).toMatchObject([{ event: 'digest' }, warning])
    expect(await run('digest list', [], {}, {})).toMatchObject([{ event: 'digest' }, warning])
    expect(await run('status', [], {}, {})).toMatchObject([
      { mails: { digests: 1, due: 0, givenUp: 0, isConfigured: false } },
    ])
    expect(await run('status')).toMatchObject([{ mails: { isConfigured: true } }])
  })

  test('status shows how far the editions in a bucket are, and why no newer one follows', async () => {
    const { store, run } = await opened()
    expect(await run('status')).toEqual([expect.not.objectContaining({ exported: expect.anything() })])
    await noteExported(store.db, 3, 1000)
    await noteExportConcern(store.db, 'AccessDenied')
    expect(await run('status')).toMatchObject([{ exported: { edition: 3, exportedAt: 1000, concern: 'AccessDenied' } }])
  })

  test('a mistake is reported in one sentence, and nothing is stored', async () => {
    const { store, run, wanted } = await opened()
    const { organization } = await createOrganization(store.db, { name: 'Other' }, { now: 0, random: systemRandom })
    await addSearch(store, organization.organizationId, 'Bridges')
    for (const [options, sentence] of [
      [{ organization: 'Nobody' }, /no organization "Nobody"/],
      [{ search: 'Bridges' }, /"Acme" has no search "Bridges"/],
      [{ to: 'anna' }, /"anna" is not a mail address/],
      [{ to: 'anna@example.org\r\nBcc: eve@example.org' }, /is not a mail address/],
      [{ zone: 'Europe/Atlantis' }, /no time zone "Europe\/Atlantis"/],
      [{ zone: '+01:00' }, /no time zone/],
    ] as const) {
      const failed = run('digest create', [], { ...wanted, ...options })
      await expect(failed).rejects.toThrow(OperatorError)
      await expect(failed).rejects.toThrow(sentence)
    }
    expect(await listDigests(store.db)).toEqual([])
    const [made] = (await run('digest create', [], wanted)) as [EventOf<'digest'>]
    await expect(run('digest create', [], { ...wanted, to: 'Anna@Example.org' })).rejects.toThrow(/already/)
    await expect(run('digest edit', [made.id], { hour: 7 })).rejects.toThrow(/Nothing to change/)
    await expect(run('digest edit', ['x'], { hour: 7 })).rejects.toThrow(/no digest "x"/)
    await expect(run('digest remove', ['x'])).rejects.toThrow(/no digest "x"/)
    expect(await listDigests(store.db)).toHaveLength(1)
  })

  test('a search has at most a hundred digests', async () => {
    const { run, wanted } = await opened()
    for (let person = 0; person < 100; person++)
      await run('digest create', [], { ...wanted, to: `person-${person}@example.org` })
    await expect(run('digest create', [], wanted)).rejects.toThrow(/100 digests, which is the maximum/)
  })
})
