// Every command that names something ends with the same exit code when that thing does not exist, and changes nothing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { openTestStore, type TestStore } from '../../../test/world.ts'
import { type CommandName, commandNames, commands } from '../../cli/command-table.ts'
import { OperatorError } from '../../platform/errors.ts'
import { systemRandom } from '../../platform/random.ts'
import { createPerson } from '../../store/people/people.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore('embedded')
  // when nobody exists, a link creates the first person
  const first = { personId: systemRandom.uuid(), mail: 'first@example.org', name: '', isOperator: true }
  await createPerson(store.db, first, Date.now())
  await run('organization create', ['Acme'], { 'requests-per-minute': 60 })
  await run('search create', [], { organization: 'Acme', name: 'Roads', cpv: ['45233000'] })
})
afterAll(() => store[Symbol.asyncDispose]())

const run = (command: CommandName, operands: readonly string[], options: object = {}): Promise<number> =>
  runOperation(
    serviceContext({ store, dataFolder: store.options.dataFolder, config: { contact: 'ops@example.org' } }),
    { command, operands, options: { ...options } },
    () => {},
  )

const id = '0b6f98dc-89b5-4153-a43d-5b69ba554b0d'
const acme = { organization: 'Acme' }
const simulator = 'http://127.0.0.1:9'

type Case = readonly [command: CommandName, operands: readonly string[], options?: object]
const cases: readonly Case[] = [
  ['audit', [], { organization: 'Nobody' }],
  ['source show', ['nowhere']],
  ['source check', ['nowhere'], { simulator }],
  ['source run', ['nowhere'], { simulator }],
  ['source release', ['nowhere']],
  ['source off', ['nowhere']],
  ['source on', ['nowhere']],
  ['source run', ['doe'], { simulator, channel: 'nothing' }],
  ['source run', ['doe'], { simulator, channel: 'daily', slot: ['yesterday'] }],
  ['review show', ['ted:1-2026', 'doe:2']],
  ['review merge', ['ted:1-2026', 'doe:2']],
  ['review split', ['ted:1-2026', 'doe:2']],
  ['review undo', ['ted:1-2026', 'doe:2']],
  ['explain', [id]],
  ['explain', [id], { search: 'Roads' }],
  ['explain', [id], { search: 'Bridges' }],
  ['profile create', [], { organization: 'Nobody', name: 'Us', cpv: ['45233000'] }],
  ['profile edit', ['Us'], { organization: 'Nobody', cpv: ['45233000'] }],
  ['profile edit', ['Us'], { ...acme, cpv: ['45233000'] }],
  ['profile rename', ['Us'], { ...acme, name: 'We' }],
  ['profile copy', ['Us'], { ...acme, name: 'We' }],
  ['profile delete', ['Us'], { ...acme, confirm: 'Us' }],
  ['profile list', [], { organization: 'Nobody' }],
  ['profile show', ['Us'], acme],
  ['search create', [], { organization: 'Nobody', name: 'Roads', cpv: ['45233000'] }],
  ['search create', [], { ...acme, name: 'Paths', cpv: ['45233000'], profile: 'Us' }],
  ['search edit', ['Bridges'], { threshold: 60 }],
  ['search edit', ['Roads'], { organization: 'Nobody', threshold: 60 }],
  ['search rename', ['Bridges'], { name: 'Paths' }],
  ['search copy', ['Bridges'], { name: 'Paths' }],
  ['search delete', ['Bridges'], { confirm: 'Bridges' }],
  ['search pause', ['Bridges']],
  ['search resume', ['Bridges']],
  ['search list', [], { organization: 'Nobody' }],
  ['search show', ['Bridges']],
  ['hit list', [], { organization: 'Nobody' }],
  ['hit list', [], { search: 'Bridges' }],
  ['hit release', ['Bridges']],
  ['digest create', [], { organization: 'Nobody', search: 'Roads', to: 'anna@example.org' }],
  ['digest create', [], { ...acme, search: 'Bridges', to: 'anna@example.org' }],
  ['digest edit', [id], { hour: 8 }],
  ['digest list', [], { organization: 'Nobody' }],
  ['digest start', [id]],
  ['digest remove', [id]],
  ['console link', ['anna@example.org']],
  ['organization show', ['Nobody']],
  ['organization rename', ['Nobody', 'Somebody']],
  ['organization end', ['Nobody']],
  ['organization update', ['Nobody'], { access: 'off' }],
  ['quote show', [id]],
  ['quote close', [id], { as: 'declined' }],
  ['quote erase', [id]],
  ['token create', ['Nobody']],
  ['token list', ['Nobody']],
  ['token revoke', [id]],
  ['token rotate', [id]],
  ['webhook create', [], { organization: 'Nobody', url: 'https://example.org/hook' }],
  ['webhook update', [id], { rate: 3 }],
  ['webhook list', [], { organization: 'Nobody' }],
  ['webhook test', [id]],
  ['webhook rotate', [id]],
  ['webhook enable', [id]],
  ['webhook disable', [id]],
  ['webhook remove', [id]],
  ['webhook deliveries', [id]],
  ['webhook replay', [id], { 'all-since': '2026-01-01' }],
  ['webhook release', [id]],
  ['redact undo', [id]],
  ['redact import', ['/nowhere/redactions.jsonl']],
]

/** Their arguments do not name anything in the stock: paths, a server, a shell, a name to be given. */
const naming: readonly CommandName[] = [
  'start',
  'ingest',
  'organization create',
  'backup',
  'restore',
  'drill',
  'database export',
  'completion',
  // runs in the process of the command, without a service
  'source mend',
]

const stateOf = async () =>
  (await store.db.selectFrom('audit_entry').select('entry_no').orderBy('entry_no', 'desc').limit(1).execute())[0]

const all = cases.map(([command, operands, options]) => ({ command, operands, options }))
test.each(all)('$command $operands $options', async ({ command, operands, options }) => {
  const before = await stateOf()
  const error = await run(command, operands, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(OperatorError)
  const { exitCode, message } = error as OperatorError
  expect({ exitCode, message }).toEqual({ exitCode: 8, message: expect.stringMatching(/^[^\n]+$/) })
  // a reading adds its entry before the source's channels are read
  if (command !== 'source run') expect(await stateOf()).toEqual(before)
})

test('no command that names something is left out', () => {
  const named = new Set(cases.map(([command]) => command))
  const missing = commandNames.filter((name) => {
    const { operands, options } = commands[name]
    const takesName = (operands?.max ?? 0) > 0 && operands?.name !== ''
    return (takesName || 'organization' in options || 'search' in options) && !named.has(name) && !naming.includes(name)
  })
  expect(missing).toEqual([])
})
