// `organization show`, `rename` and `end` from outside the store: what they print, and what the API and the console
// show afterwards.
import { describe, expect, test } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import type { CommandName } from '../../cli/command-table.ts'
import { readSerials } from '../../store/database/change-signal.ts'
import { findContract, putContract } from '../../store/people/contracts.ts'
import { loadTokens } from '../../store/people/organizations.ts'
import type { CommandEvent, EventOf } from '../events/command-event.ts'

describe.each(drawnEngines)('organizations by commands (%s)', (engine) => {
  test('are shown, renamed, and end with their contract', async () => {
    await using store = await openTestStore(engine)
    const run = async (command: CommandName, operands: readonly string[], options: object = {}) => {
      const events: CommandEvent[] = []
      const context = serviceContext({ store, dataFolder: store.options.dataFolder })
      await runOperation(context, { command, operands, options: { ...options } }, (event) => void events.push(event))
      return events
    }
    for (const name of ['Acme', 'Bell']) await run('organization create', [name], { 'requests-per-minute': 60 })
    await run('token create', ['Acme'], { name: 'crm' })
    const [made] = await run('organization show', ['Acme'])
    expect(made).toMatchObject({ event: 'customer', name: 'Acme', startsAt: null, tokens: [{ name: 'crm' }] })
    const { organizationId } = made as { organizationId: string }

    const [token] = (await run('token list', ['Acme'])) as readonly EventOf<'token'>[]
    await run('token rotate', [token!.tokenId], { 'old-ends-in-days': '7' })
    const audited = await run('audit', [], { limit: '2' })
    expect(audited.map((entry) => 'action' in entry && [entry.action, entry.detail])).toEqual([
      ['token.limit', expect.objectContaining({ tokenId: token!.tokenId })],
      ['token.create', expect.anything()],
    ])

    // without a contract its access is closed
    expect(await run('organization end', ['Acme'])).toMatchObject([{ hadContract: false }])
    await expect(run('organization end', ['Acme'])).rejects.toThrow('no current contract, and its access is closed')
    await run('organization update', ['Acme'], { access: 'on' })
    await putContract(
      store.db,
      { organizationId, startsAt: 0, endsAt: undefined, note: 'by phone', setUpBy: 'anna@example.org' },
      Date.now(),
    )

    await expect(run('organization rename', ['Acme', 'Bell'])).rejects.toThrow('An organization "Bell" already exists')
    const before = (await readSerials(store.db)).console
    expect(await run('organization rename', ['Acme', 'Acme GmbH'])).toMatchObject([
      { organizationId, name: 'Acme GmbH' },
    ])
    expect((await readSerials(store.db)).console).toBeGreaterThan(before)
    await expect(run('organization show', ['Acme'])).rejects.toMatchObject({ exitCode: 8 })
    // keeping its own name is not a conflict
    expect(await run('organization rename', ['Acme GmbH', 'Acme GmbH'])).toMatchObject([{ name: 'Acme GmbH' }])

    const access = async () =>
      (await loadTokens(store.db)).find((token) => token.organizationId === organizationId)?.hasApiAccess
    expect(await access()).toBe(true)
    expect(await run('organization end', ['Acme GmbH'])).toEqual([
      { event: 'organizationEnded', organizationId, name: 'Acme GmbH', hadContract: true },
    ])
    expect(await access()).toBe(false)
    expect((await findContract(store.db, organizationId))?.endedAt).toBeTypeOf('number')
    await expect(run('organization end', ['Acme GmbH'])).rejects.toThrow('no current contract')
  })

  test('the organization of the samples keeps its name', async () => {
    await using store = await openTestStore(engine)
    const context = serviceContext({ store, dataFolder: store.options.dataFolder })
    const run = (command: CommandName, operands: readonly string[]) =>
      runOperation(context, { command, operands, options: { 'requests-per-minute': 60 } }, () => {})
    await run('organization create', ['Trial'])
    await expect(run('organization rename', ['Trial', 'Mine'])).rejects.toThrow('keeps its name')
  })
})
