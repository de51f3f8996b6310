// The workflow of integrations/n8n: its Code node runs as n8n's runner runs it, in a context with these names and no
// others, and gets messages that are signed by the service's own code. n8n itself does not run here.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { makeWebhookSecret, webhookHeaders, webhookSecretBytes } from '../../src/webhooks/signature.ts'

type Node = {
  readonly name: string
  readonly type: string
  readonly parameters: { readonly jsCode?: string; readonly options?: object; readonly responseMode?: string }
}
type Workflow = {
  readonly nodes: readonly Node[]
  readonly connections: { readonly [from: string]: { readonly main: readonly { readonly node: string }[][] } }
}
type Answer = { readonly status: number; readonly isNew: boolean; readonly id?: string; readonly message?: object }

const text = readFileSync(new URL('../../integrations/n8n/hits.json', import.meta.url), 'utf8')
const workflow = JSON.parse(text) as Workflow
const code = workflow.nodes.find(({ name }) => name === 'Verify')!.parameters.jsCode!
const secret = makeWebhookSecret(randomBytes)
const key = webhookSecretBytes(secret)!
const body = JSON.stringify({ type: 'search.hit', data: { fitScore: 78, tender: { title: 'Straßenbau “A 9”' } } })
const now = () => Math.floor(Date.now() / 1000)

/** One message through the node; `state` is what n8n keeps for the workflow. */
async function verify(headers: object, bytes = body, state: object = {}, changed = code.replace('whsec_…', secret)) {
  const context = createContext({
    require: (name: string) => {
      if (name !== 'crypto') throw new Error(`Module '${name}' is disallowed`)
      return { createHmac, timingSafeEqual }
    },
    Buffer,
    $input: { first: () => ({ json: { headers } }) },
    $getWorkflowStaticData: () => state,
    helpers: {
      getBinaryDataBuffer: async (item: number, name: string) =>
        name === 'data' && item === 0 ? Buffer.from(bytes) : undefined,
    },
  })
  const items = (await runInContext(`(async function () {${changed}\n})()`, context)) as readonly { json: Answer }[]
  expect(items).toHaveLength(1)
  return items[0]!.json
}
const signed = (id: string, timestamp = now(), by = [key]) => webhookHeaders({ id, timestamp, body }, by)

describe('the node that verifies', () => {
  test('passes a genuine message on, once', async () => {
    const state = {}
    expect(await verify(signed('msg_1'), body, state)).toEqual({
      status: 204,
      isNew: true,
      id: 'msg_1',
      message: JSON.parse(body),
    })
    expect(await verify(signed('msg_1'), body, state)).toMatchObject({ status: 204, isNew: false })
    expect(await verify(signed('msg_2'), body, state)).toMatchObject({ status: 204, isNew: true })
    Object.assign(state, { seen: Array.from({ length: 1000 }, (_, number) => `msg_${number}`) })
    await verify(signed('msg_new'), body, state)
    const { seen } = state as { seen?: readonly string[] }
    expect([seen?.length, seen?.at(-1)]).toEqual([1000, 'msg_new'])
  })

  test('accepts one of two signatures, and a second secret, during a rotation', async () => {
    const other = makeWebhookSecret(randomBytes)
    const both = [webhookSecretBytes(other)!, key]
    expect(await verify(signed('msg_1', now(), both))).toMatchObject({ status: 204 })
    const two = code.replace("'whsec_…'", `'${other}', '${secret}'`)
    expect(await verify(signed('msg_1'), body, {}, two)).toMatchObject({ status: 204 })
  })

  const forged: readonly (readonly [what: string, headers: () => object, bytes: string])[] = [
    ['another body', () => signed('msg_1'), `${body} `],
    ['another id', () => ({ ...signed('msg_1'), 'webhook-id': 'msg_2' }), body],
    ['another key', () => signed('msg_1', now(), [webhookSecretBytes(makeWebhookSecret(randomBytes))!]), body],
    ['an old message', () => signed('msg_1', now() - 400), body],
    ['a message from the future', () => signed('msg_1', now() + 400), body],
    ['no time', () => ({ ...signed('msg_1'), 'webhook-timestamp': 'soon' }), body],
    ['no headers', () => ({}), body],
  ]
  test.each(forged)('answers 400 to %s, and remembers nothing', async (_what, headers, bytes) => {
    const state = {}
    expect(await verify(headers(), bytes, state)).toEqual({ status: 400, isNew: false })
    expect(state).toEqual({})
  })

  test('stops if nobody put a secret into it', async () => {
    await expect(verify(signed('msg_1'), body, {}, code)).rejects.toThrow('Put the secret')
  })
})

test('the nodes are connected in their order, the raw body is kept, and the answer is sent before the steps', () => {
  const names = workflow.nodes.map(({ name }) => name)
  expect(names).toEqual(['Webhook', 'Verify', 'Answer', 'Is new', 'Your steps'])
  const next = names.map((name) => workflow.connections[name]?.main[0]?.[0]?.node)
  expect(next).toEqual([...names.slice(1), undefined])
  expect(workflow.nodes[0]!.parameters).toMatchObject({ responseMode: 'responseNode', options: { rawBody: true } })
})
