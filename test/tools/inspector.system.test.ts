// Another client than the library that the server is made of: the inspector of the protocol's makers, as its command
// line, over HTTP and as the program that it starts, in both eras.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answersForTools } from '../../src/service/readers/answers-for-tools.ts'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { createMemoryEditions, plainId } from '../memory-editions.ts'

const inspector = '@modelcontextprotocol/inspector@2.12.0'
const eras = ['legacy', 'auto', 'modern'] as const
const ways = ['http', 'program'] as const
const tools = ['search_tenders', 'get_tender', 'find_codes']
const folder = mkdtempSync(join(tmpdir(), 'tenderstock-inspector-'))

type Ended = { readonly code: number; readonly out: string; readonly err: string }

function run(program: string, args: readonly string[], timeout: number, env = process.env): Promise<Ended> {
  return new Promise((done) =>
    execFile(program, [...args], { cwd: folder, timeout, env }, (error, out, err) =>
      done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    ),
  )
}

let api: ApiWorld
let isThere = false
beforeAll(async () => {
  const editions = createMemoryEditions()
  api = await startApi({ reader: editions, tools: answersForTools(editions, () => startOfTests) })
  editions.publish(startOfTests, [{ id: plainId(1), title: 'Renewal of the main road', cpvCodes: ['45233120'] }])
  writeFileSync(join(folder, 'package.json'), '{}')
  const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--prefer-offline']
  isThere = (await run('npm', ['install', ...options, inspector], 100_000)).code === 0
  if (!isThere) console.log(`skipped: no registry has ${inspector} here`)
}, 120_000)
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** One question of the inspector, which connects for it. */
function ask(way: (typeof ways)[number], era: (typeof eras)[number], token: string, ...question: string[]) {
  const program = join(import.meta.dirname, '../../client/bin/tender-sync.js')
  const target =
    way === 'http'
      ? [`${api.origin}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
      : [process.execPath, program, 'mcp', '--url', api.origin, '--transport', 'stdio', '-e', `TENDER_TOKEN=${token}`]
  const path = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const options = ['--protocol-era', era, '--format', 'json', '--stored-auth-only', ...question]
  // it keeps what it learns in the home of who starts it
  return run(process.execPath, [path, '--cli', ...target, ...options], 30_000, { ...process.env, HOME: folder })
}

const calls = (tool: string, question: object): string[] => [
  ...['--method', 'tools/call', '--tool-name', tool],
  ...['--tool-args-json', JSON.stringify(question)],
]

describe.each(ways)('by %s', (way) => {
  test.for(way === 'http' ? eras : (['auto'] as const))(
    'the inspector in the era %s lists tools without an error of portability, finds, and reads',
    { timeout: 120_000 },
    async (era, { skip }) => {
      skip(!isThere, 'no inspector')
      const listed = await ask(way, era, api.token, '--strict', '--method', 'tools/list')
      expect(listed.code, listed.err).toBe(0)
      expect(JSON.parse(listed.out).result.tools.map(({ name }: { name: string }) => name)).toEqual(tools)
      const found = await ask(way, era, api.token, ...calls('search_tenders', { words: 'main road' }))
      expect(found.code, found.err).toBe(0)
      expect(JSON.parse(found.out).result.structuredContent).toMatchObject({ total: 1, tenders: [{ id: plainId(1) }] })
      const read = ['--method', 'resources/read', '--uri', `tender://record/${plainId(1)}`]
      expect((await ask(way, era, api.token, ...read)).out).toContain('Renewal of the main road')
    },
  )

  test('the inspector tells errors of tools, unknown tools and wrong tokens apart', { timeout: 120_000 }, async ({
    skip,
  }) => {
    skip(!isThere, 'no inspector')
    const errorOf = async (token: string, ...question: string[]) => {
      const { err } = await ask(way, 'auto', token, ...question)
      return (JSON.parse(err) as { readonly error: { readonly code: string; readonly message: string } }).error
    }
    expect((await errorOf(api.token, ...calls('get_tender', { id: plainId(9) }))).code).toBe('tool_is_error')
    expect((await errorOf(api.token, ...calls('write_tender', {}))).code).toBe('tool_not_found')
    const refused = await errorOf('wrong', '--method', 'tools/list')
    if (way === 'http') expect(refused.code).toBe('auth_required')
    else expect(refused.message).toContain('Token missing or invalid')
  })
})
