// The receivers of examples/webhooks, each started as its README says and asked by the service's own sender.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { hitBody } from '../../src/webhooks/hit-body.ts'
import { openSender } from '../../src/webhooks/send-attempt.ts'
import { makeWebhookSecret, webhookHeaders, webhookSecretBytes } from '../../src/webhooks/signature.ts'
import { fromSource } from './run-example.ts'

const folder = new URL('../../examples/webhooks/', import.meta.url).pathname
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const port = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port: free } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return free
}

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** The commands of the README, without the secret. */
const commands = readFileSync(`${folder}README.md`, 'utf8').matchAll(
  /^\| ([^|]+) \| `WEBHOOK_SECRET=whsec_… ([^`]+)` \|$/gm,
)
const receivers = [...commands].map(([, name, command]) => {
  const [program, ...args] = command!.replace('npx node', `${process.execPath} --import ${fromSource}`).split(' ') as [
    string,
    ...string[],
  ]
  return [name!, program, args] as const
})
if (receivers.length !== 3) throw new Error('The README should have the commands of three receivers.')
for (const [name, program] of [...receivers, ['C#', 'mcs'] as const])
  if (!has(program)) console.log(`skipped: the webhook receiver in ${name} (no ${program})`)

const bodyOf = (description: string) =>
  hitBody({
    kind: 'search.hit',
    at: Date.now(),
    hitId: 'h',
    edition: 1,
    search: { id: 's', name: 'Straßen', version: 1 },
    fitScore: 78,
    fit: '{}',
    matched: '[]',
    tender: JSON.stringify({ id: 't', title: 'Straßenbau “A 9”', description, lots: [] }),
  })
const body = bodyOf('')
/** Nearly as large as a body may be. */
const largeBody = bodyOf('ü'.repeat(130_800))
/** Of a type that is not known yet. */
const unknownBody = JSON.stringify({ type: 'webhook.later', timestamp: new Date().toISOString(), data: {} })

function listening(child: ChildProcess, output: () => string, free: number): Promise<void> {
  const started = async () => {
    for (let round = 0; round < 600; round++) {
      if (/listening|started/i.test(output())) return
      if (child.exitCode !== null) break
      await delay(50)
    }
    throw new Error(`the receiver does not listen on ${free}: ${output()}`)
  }
  return started()
}

describe.each(receivers.filter(([, program]) => has(program)))('the receiver in %s', (_, program, args) => {
  test('accepts a genuine message once, and nothing else', async () => {
    const [free, secret] = [await port(), makeWebhookSecret(randomBytes)]
    let output = ''
    const scratch = mkdtempSync(join(tmpdir(), 'tenderstock-test-'))
    const words = args.map((word) => word.replace('9000', String(free)))
    const child = spawn(program, words, {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(free), TMPDIR: scratch },
    })
    closers.push(
      () => child.kill('SIGKILL'),
      () => rmSync(scratch, { recursive: true, force: true }),
    )
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
    await listening(child, () => output, free)
    const sender = openSender({ version: 'test', now: Date.now })
    closers.push(sender.close)
    const key = webhookSecretBytes(secret)!
    const post = async (text: string, headers: { readonly [name: string]: string }) => {
      const { outcome } = await sender.send({
        url: `http://127.0.0.1:${free}/`,
        network: 'loopback',
        headers,
        body: text,
      })
      return outcome.kind === 'answered' ? outcome.status : outcome.failure
    }
    const now = Math.floor(Date.now() / 1000)
    const signed = (id: string, timestamp = now, by = [key]) => webhookHeaders({ id, timestamp, body }, by)
    expect(await post(body, signed('msg_1'))).toBe(204)
    expect(await post(body, signed('msg_1'))).toBe(204)
    // during a rotation there are two signatures, and one of them fits
    expect(await post(body, signed('msg_2', now, [webhookSecretBytes(makeWebhookSecret(randomBytes))!, key]))).toBe(204)
    expect(await post(`${body} `, signed('msg_3'))).toBe(400)
    expect(await post(body, { ...signed('msg_4'), 'webhook-id': 'msg_5' })).toBe(400)
    expect(await post(body, signed('msg_6', now - 400))).toBe(400)
    expect(await post(body, signed('msg_7', now + 400))).toBe(400)
    expect(await post(body, {})).toBe(400)
    const post2xx = async (id: string, text: string) =>
      expect(await post(text, webhookHeaders({ id, timestamp: now, body: text }, [key]))).toBe(204)
    await post2xx('msg_8', unknownBody)
    await post2xx('msg_9', largeBody)
    for (let round = 0; round < 100 && output.split('78 Straßenbau “A 9”').length < 4; round++) await delay(20)
    expect(output.split('78 Straßenbau “A 9”')).toHaveLength(4)
    expect(output).toContain('webhook.later')
  })
})

test.skipIf(!has('mcs') || !has('mono'))('the verifier in C# accepts genuine messages, and nothing else', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'tenderstock-test-'))
  closers.push(() => rmSync(scratch, { recursive: true, force: true }))
  writeFileSync(
    join(scratch, 'Program.cs'),
    `using System; using System.Collections.Generic; using System.IO; using System.Text;
public static class Program { public static int Main(string[] given) {
  var headers = new Dictionary<string, string> { { "webhook-id", given[1] }, { "webhook-timestamp", given[2] }, { "webhook-signature", given[3] } };
  return VerifyWebhook.IsGenuine(File.ReadAllText(given[0], Encoding.UTF8), name => headers[name], given[4], DateTimeOffset.UtcNow) ? 0 : 1; } }`,
  )
  execFileSync('mcs', [`-out:${scratch}/verify.exe`, join(scratch, 'Program.cs'), `${folder}VerifyWebhook.cs`])
  const secret = makeWebhookSecret(randomBytes)
  const now = Math.floor(Date.now() / 1000)
  const stranger = makeWebhookSecret(randomBytes)
  const verify = (text: string, timestamp: number, by = [secret], signed = body) => {
    writeFileSync(join(scratch, 'body'), text)
    const keys = by.map((each) => webhookSecretBytes(each)!)
    const values = Object.values(webhookHeaders({ id: 'msg_1', timestamp, body: signed }, keys))
    return spawnSync('mono', [`${scratch}/verify.exe`, join(scratch, 'body'), ...values, secret]).status
  }
  expect(verify(body, now)).toBe(0)
  expect(verify(body, now, [stranger, secret])).toBe(0)
  expect(verify(largeBody, now, [secret], largeBody)).toBe(0)
  expect(verify(`${body} `, now)).toBe(1)
  expect(verify(body, now - 400)).toBe(1)
  expect(verify(body, now, [stranger])).toBe(1)
})
