// The question before a command that cannot be undone, asked by the program on a terminal that the test creates, and
// without one.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { putEmptyStock } from '../../test/world.ts'

const program = join(import.meta.dirname, '../bin/tenderstock.ts')
const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '' }
let folder: string
let tokenId: string

const call = (...args: string[]) =>
  spawnSync(process.execPath, [program, ...args, '--data', folder], { encoding: 'utf8', env, stdio: 'pipe' })

beforeAll(async () => {
  folder = await putEmptyStock(mkdtempSync(join(tmpdir(), 'tenderstock-ask-')))
  call('organization', 'create', 'Acme')
  tokenId = (JSON.parse(call('token', 'create', 'Acme', '--json').stdout) as { tokenId: string }).tokenId
})
afterAll(() => rmSync(folder, { recursive: true }))

const isRevoked = () => call('token', 'list', 'Acme').stdout.includes('revoked')

/** Types `answer` when the question appears. Returns what the terminal showed, and how the program ended. */
const atTerminal = (
  answer: string,
  ...args: string[]
): Promise<{ readonly code: number | null; readonly shown: string }> =>
  new Promise((resolve) => {
    const script = `import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b''
asked = False
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if not asked and b'[y/N]' in shown:
        asked = True
        os.write(fd, sys.argv[1].encode())
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`
    const child = spawn('python3', ['-c', script, answer, process.execPath, program, ...args, '--data', folder], {
      env,
    })
    let shown = ''
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk))
    child.on('close', (code) => resolve({ code, shown }))
  })

test('a person at a terminal is asked, and only yes continues', async () => {
  const revoke = (answer: string) => atTerminal(answer, 'token', 'revoke', tokenId)
  for (const [answer, code] of [
    ['\r', 1],
    ['nein\r', 1],
    ['yet another\r', 1],
    ['\u0004', 1],
    ['\u0003', 130],
  ] as const) {
    const { code: ended, shown } = await revoke(answer)
    expect(shown).toContain(`Revoke the token ${tokenId}?`)
    expect(shown).toContain('Nothing was changed.')
    expect(ended).toBe(code)
  }
  // a program reads the output, whoever sits at the keyboard
  const asked = await atTerminal('y\r', 'token', 'revoke', tokenId, '--json')
  expect(asked).toMatchObject({ code: 2, shown: expect.stringContaining('pass --yes') })
  expect(isRevoked()).toBe(false)
  expect(await revoke('y\r')).toMatchObject({ code: 0, shown: expect.stringContaining('Revoked') })
  expect(isRevoked()).toBe(true)
})

test('without a terminal the command exits with 2 and an explanation, unless --yes is given', () => {
  const refused = call('organization', 'end', 'Acme')
  expect(refused).toMatchObject({
    status: 2,
    stdout: '',
    stderr:
      '`tenderstock organization end` cannot be undone, and there is no terminal on which to ask: pass --yes. [confirmation-needed]\n',
  })
  const json = call('organization', 'end', 'Acme', '--json')
  expect(json.status).toBe(2)
  expect(JSON.parse(json.stdout)).toMatchObject({ event: 'error', code: 'confirmation-needed', exitCode: 2 })
  // --yes reaches the operation, which decides for itself
  const ended = call('organization', 'end', 'Acme', '--yes')
  expect(ended).toMatchObject({ status: 0, stderr: '' })
  expect(ended.stdout).toMatch(/access of Acme to the API .* it had no contract/)
  expect(call('organization', 'end', 'Acme', '--yes').stderr).toMatch(/no current contract/)
})
