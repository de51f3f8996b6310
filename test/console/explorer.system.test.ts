// The explorer on a whole service: the request that it shows, run unchanged, returns what it shows.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { putEmptyStock } from '../world.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const entities: { readonly [entity: string]: string } = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const plain = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!)
const codeOf = (page: string, id: string) => plain(new RegExp(`<code id="${id}">([^]*?)</code>`).exec(page)?.[1] ?? '')

describe('the explorer of a running service', () => {
  let folder: string
  let service: ReturnType<typeof spawn>
  let ready: { readonly console: string; readonly tokenFile: string; readonly api: string }
  beforeAll(async () => {
    folder = await putEmptyStock(await mkdtemp(join(tmpdir(), 'tenderstock-explorer-')))
    service = spawn(process.execPath, [program, 'start', '--data', folder, '--api-port', '0', '--json'], {
      env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: service.stdout! })) {
      const event = JSON.parse(line) as { event: string } & typeof ready
      if (event.event === 'ready') {
        ready = event
        break
      }
    }
  })
  afterAll(async () => {
    service.kill('SIGTERM')
    await once(service, 'exit')
    await rm(folder, { recursive: true, force: true })
  })
  const get = async (path: string) => {
    const answer = await fetch(`${ready.console}${path}`)
    expect(answer.status).toBe(200)
    return answer.text()
  }
  const shown = (page: string) =>
    (JSON.parse(codeOf(page, 'answer')) as { data: { id: string }[] }).data.map(({ id }) => id)

  test.each(['curl', 'typescript', 'python'])('its %s returns the same records as the page', async (as) => {
    const page = await get(`/explorer?cpv=45000000+71000000&value_min=1000&limit=7&as=${as}&ask=1`)
    const ids = shown(page)
    expect(ids.length).toBe(7)
    expect(page).toMatch(/\d+ records match/)
    const text = codeOf(page, 'request')
    const environment = { ...process.env, TENDER_TOKEN: (await readFile(ready.tokenFile, 'utf8')).trim() }
    const [command, ...args] = {
      curl: ['bash', '-c', text],
      typescript: [
        process.execPath,
        '--input-type=module-typescript',
        '-e',
        `${text.replace('console.log(', 'console.log(JSON.stringify(')})`,
      ],
      python: ['python3', '-c', `${text.replace('print(json.load(answer))', 'print(json.dumps(json.load(answer)))')}`],
    }[as]!
    const run = spawnSync(command!, args, { env: environment, encoding: 'utf8' })
    expect(run.stderr.replace(/^\s*%.*\n.*\n.*/, '')).not.toMatch(/error/i)
    expect((JSON.parse(run.stdout) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(ids)
  })

  test('links to the next page and to one record, and shows a refusal with its reason', async () => {
    const first = await get('/explorer?limit=60&ask=1')
    const next = plain(/class="btn tiny" href="(\/explorer\?[^"]*cursor=[^"]*)"/.exec(first)![1]!)
    const second = await get(next)
    expect(shown(second).some((id) => shown(first).includes(id))).toBe(false)
    const [id] = shown(first)
    expect(codeOf(await get(`/explorer?id=${id}&ask=1`), 'answer')).toContain(`"id": "${id}"`)
    const wrong = await get('/explorer?cpv=45&ask=1')
    expect(codeOf(wrong, 'answer')).toContain('CPV codes have eight digits')
    expect(wrong).toContain('<span class="st bad">400</span>')
  })

  test('finds codes by words, as boxes to tick that become the codes of the request', async () => {
    const found = await get('/explorer?cpv=71000000&cpv-q=road+works&nuts=&nuts-q=&ask=1')
    // not asked before it is clear for what
    expect(codeOf(found, 'answer')).toBe('')
    const [box] = [...found.matchAll(/<input type="checkbox" name="cpv" value="(\d{8})"/g)].map(([, code]) => code)
    expect(codeOf(found, 'request')).toContain('/v1/tenders?cpv=71000000')
    const asked = await get(`/explorer?cpv=71000000&cpv=${box}&cpv-q=road+works&nuts=&nuts-q=DEB+DE2&ask=1`)
    expect(codeOf(asked, 'request')).toContain(`/v1/tenders?cpv=71000000,${box}&nuts=DEB,DE2`)
    expect(asked).toMatch(/\d+ records? match/)
    const fewer = await get(`/explorer?cpv=71000000&cpv=${box}&cpv-q=&do=drop+cpv+71000000`)
    expect(codeOf(fewer, 'request')).toContain(`/v1/tenders?cpv=${box}'`)
    // Enter in any field sends the request, and removes no code
    const [, first] = /<button\b[^>]*name="(\w+)"/.exec(fewer.slice(fewer.indexOf('action="/explorer"')))!
    expect(first).toBe('ask')
  })

  test('counts all matches, however many the page shows', async () => {
    const counted = async (query: string) =>
      Number(/(\d+) records? match/.exec(await get(`/explorer?${query}&limit=1&ask=1`))![1])
    const all = await counted('archived=true')
    let seen = 0
    for (let path: string | undefined = '/explorer?archived=true&limit=60&ask=1'; path; ) {
      const page = await get(path)
      seen += shown(page).length
      const match = /class="btn tiny" href="(\/explorer\?[^"]*cursor=[^"]*)"/.exec(page)
      path = match ? plain(match[1]!) : undefined
    }
    expect(all).toBe(seen)
    expect(await counted('cpv=45000000')).toBeLessThan(all)
  })
})
