// The program as a process: libraries of sinks are loaded only when used, and a missing one is named with what to
// install.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tender-libraries-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs tender-sync in a process in which no module with such a name can be found. */
function without(hidden: readonly string[], args: readonly string[]) {
  const hook = `
    import { registerHooks } from 'node:module'
    const hidden = ${JSON.stringify(hidden)}
    registerHooks({
      resolve(specifier, context, next) {
        const name = hidden.find((each) => specifier === each || specifier.startsWith(each + '/'))
        if (!name) return next(specifier, context)
        const error = new Error("Cannot find package '" + name + "' imported from " + context.parentURL)
        error.code = name.startsWith('node:') ? 'ERR_UNKNOWN_BUILTIN_MODULE' : 'ERR_MODULE_NOT_FOUND'
        throw error
      },
    })`
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      join(root, 'client/src/bin/tender-sync.ts'),
      ...args,
    ],
    { encoding: 'utf8', env: { ...process.env, TENDER_TOKEN: 'made-up', HOME: folder } },
  )
  return { code: status, out: stdout, err: stderr }
}

const libraries = ['hyparquet-writer', 'hyparquet', 'csv-parse', 'pg', 'node:sqlite']
// Nothing listens there: a run that reaches the network fails at once in another way.
const run = (sink: string): string[] => ['run', '--url', 'http://127.0.0.1:9', '--sink', sink]

describe('without the optional libraries', () => {
  it('help and the sinks that need no library work', () => {
    expect(without(libraries, ['--help'])).toMatchObject({ code: 0, err: '' })
    expect(without(libraries, ['status', '--sink', `ndjson:${join(folder, 't.ndjson')}`])).toMatchObject({
      code: 0,
      err: '',
    })
  })

  it.each([
    ['parquet', 'npm install hyparquet-writer'],
    ['sqlite', 'Node.js 22.5 or newer'],
  ])('the sink %s says: %s', (kind, words) => {
    const { code, err } = without(libraries, run(`${kind}:${join(folder, 'x')}`))
    expect(code).toBe(4)
    expect(err).toMatch(/^tender-sync: The \w+ sink needs /)
    expect(err).toContain(words)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  it('the receiver of hits says what it needs', () => {
    const secretFile = join(folder, 'secret')
    writeFileSync(secretFile, `whsec_${Buffer.alloc(24).toString('base64')}`)
    const receive = (sink: string) => without(libraries, ['webhooks', '--secret-file', secretFile, '--sink', sink])
    expect(receive(`sqlite:${join(folder, 'x')}`)).toMatchObject({
      code: 4,
      err: expect.stringContaining('Node.js 22.5 or newer'),
    })
    expect(receive('postgres:postgres://nobody@127.0.0.1:9/none')).toMatchObject({
      code: 4,
      err: expect.stringContaining('npm install pg'),
    })
  })

  it('the sink postgres says what to install', () => {
    const { code, err } = without(libraries, run('postgres:postgres://nobody@127.0.0.1:9/none'))
    expect(code).toBe(4)
    expect(err).toContain('npm install pg')
  })
})

describe('the program', () => {
  it('ends with exit code 2 and one sentence when it is used wrongly', () => {
    expect(without([], ['run', '--sink', 'sqlite:x'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^tender-sync: .* needs --url.*\n$/),
    })
  })

  it('prints its version', () => {
    expect(without([], ['--version']).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
