// The first ten minutes of somebody new: the commands of the README and of the quick start exactly as they are written,
// in a fresh copy, then the printed link, a token, a first request, a saved search and its first hit; the explorer; and
// portals that answer.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify, stripVTControlCharacters } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { proofCount } from '../proof/proof-count.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type Hands, openHands, type Way, ways } from './hands.ts'

const hasTerminal = spawnSync('script', ['--version']).status === 0
if (!hasChromium || !hasTerminal)
  console.log('skipped: the first ten minutes (no chromium, or no `script` of util-linux)')

/** Files that a service does not need, and that a clone does not have. */
const notInCopy = /^(?:\.|test$|bench$|quality$|node_modules$|data|live|stock)/
/** A usual run tests one way. */
const triedWays: readonly Way[] = proofCount({ share: 1, full: 2 }) === 2 ? ways : ['without script']
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** The blocks of code below a heading. */
const blocksBelow = (path: string, heading: string): string[] => {
  const section = read(path).split(`\n${heading}\n`)[1]?.split(/\n## /)[0]
  if (section === undefined) throw new Error(`${path} has no heading ${heading}`)
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
}
const asText = (text: string) => text.replace(/\d+/g, '0').trim()

describe.skipIf(!hasChromium || !hasTerminal)('the first ten minutes', () => {
  let copy: string
  let service: ReturnType<typeof spawn>
  let output = ''
  let context: { readonly api: string; readonly console: string; readonly link: string }
  let browser: Browser
  let session: Awaited<ReturnType<BrowserContext['storageState']>>

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'tenderstock-newcomer-'))
    for (const name of readdirSync(root).filter((each) => !notInCopy.test(each)))
      cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const [, start] = /^npm ci && (npm start)\b/m.exec(read('README.md'))!
    expect(blocksBelow('docs/quick-start.md', '## 1. A service and a token')[0]).toBe(`npm ci && ${start}\n`)
    // other ports only: the usual ones may be taken on this machine
    service = spawn('script', ['-qefc', `stty cols 120; exec ${start} -- --api-port 0`, '/dev/null'], {
      cwd: copy,
      env: environment(),
    })
    const printed = Promise.withResolvers<void>()
    service.stdout!.on('data', (chunk: Buffer) => {
      output += stripVTControlCharacters(String(chunk))
      if (/\/first\/[\w-]{43}/.test(output) && /search\.hit/.test(output)) printed.resolve()
    })
    service.once('exit', (code) => printed.reject(new Error(`ended with ${code}: ${output}`)))
    await printed.promise
    const [, api] = /Address +(http:\/\/\S+)/.exec(output)!
    const [link, origin] = /(http:\/\/localhost:\d+)\/first\/[\w-]{43}/.exec(output)!
    context = { api: api!, console: origin!, link }
    browser = await launchChromium()
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    if (service.exitCode === null) {
      service.stdin!.write('\x03')
      await once(service, 'exit')
    }
    await rm(copy, { recursive: true, force: true })
  })

  const environment = () => ({
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: process.env['HOME'],
    NO_COLOR: '1',
    TERM: 'xterm',
  })
  /** Runs a script of a document in the copy, with the address of this service. */
  const runShell = async (script: string): Promise<string> => {
    const here = script
      .replaceAll('https://api.example.org', context.api)
      .replaceAll('http://127.0.0.1:8080', context.api)
      .replaceAll('localhost:8080', new URL(context.api).host)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here], {
      cwd: copy,
      env: environment(),
    })
    return stdout
  }
  type Page = {
    readonly data: readonly { readonly id: string; readonly lastModified: string }[]
    readonly nextCursor: string | null
  }
  const ask = async (query: string): Promise<Page> => {
    const token = readFileSync(join(copy, 'data/trial-token'), 'utf8').trim()
    const answer = await fetch(`${context.api}/v1/tenders?${query}`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
    return (await answer.json()) as Page
  }

  test('npm start prints what the README shows', () => {
    const [, shown] = /This is the output of the first start, shortened:\n\n```text\n([\s\S]*?)```/.exec(
      read('README.md'),
    )!
    const printed = output
      .replaceAll(`${copy}/`, '')
      .split(/[\r\n]+/)
      .map(asText)
    for (const line of shown!.split('\n').map(asText)) {
      // which tender is the best hit differs from day to day
      const beginning = /search\.hit/.test(line) ? '✓ search.hit 0: ' : line.replace(/…$/, '')
      expect(printed).toContainEqual(expect.stringMatching(beginning.replace(/[.*+?^$()|]/g, '\\$&')))
    }
  })

  test('the five lines of the README work', async () => {
    const [block] = blocksBelow('README.md', '## The API in five lines')
    const commands = block!.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const [token, ...lines] = commands
    expect(lines).toHaveLength(4)
    const { data } = await ask('limit=100')
    const given = `T=${data.at(-1)!.lastModified}; ID=${data[0]!.id}`
    const answers = await Promise.all(
      lines.map((line) => runShell(`${token}; ${given}; ${line.replace('curl', 'curl -fsS')}`)),
    )
    const [first, delta, part, one] = answers.map((text) => JSON.parse(text))
    expect(first.data).toEqual(data)
    expect(delta.data[0].lastModified >= data.at(-1)!.lastModified).toBe(true)
    expect(part.data.length).toBeGreaterThan(0)
    expect(part.data.length).toBeLessThan(100)
    expect(one).toEqual(data[0])
  })

  test('the quick start produces a copy of all records, and hits of a search', { timeout: 120_000 }, async () => {
    const path = 'docs/quick-start.md'
    const [, token] = blocksBelow(path, '## 1. A service and a token')
    const [sync] = blocksBelow(path, '## 6. Keep a copy')
    await runShell(`${token}${sync}`)
    const copied = new DatabaseSync(join(copy, 'tenders.db'), { readOnly: true })
    const rows = copied.prepare('select id from tender').all() as { readonly id: string }[]
    copied.close()
    const open = new Set<string>()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await ask(`limit=100${cursor && `&cursor=${cursor}`}`)
      for (const { id } of page.data) open.add(id)
      cursor = page.nextCursor
    }
    expect(new Set(rows.map(({ id }) => id))).toEqual(open)
    const [save] = blocksBelow(path, '## 7. Get notified')
    const said = await runShell(save!)
    expect(said).toMatch(/[1-9]\d* open tenders of "Construction" are delivered now/)
    expect(said).toMatch(/^ +\d\d {2}\S.*\n +Construction · edition 1 · new/m)
  })

  /** A window of the person who used the first link. */
  const windowOf = async (way: Way): Promise<Hands> => {
    const hands = await openHands(browser, way, { origin: context.console, ...(session && { storageState: session }) })
    onTestFinished(async () => {
      await hands[Symbol.asyncDispose]()
      expect(hands.complaints).toEqual([])
    })
    return hands
  }

  test('the printed link leads to a token, and the request shown with it works unchanged', {
    timeout: 120_000,
  }, async () => {
    const hands = await windowOf('by keys')
    await hands.visit(context.link)
    await hands.press('Begin')
    expect(await hands.heading()).toBe('Trial')
    session = await hands.context.storageState()
    await hands.follow('Connect a program')
    await hands.fill('Name', 'My laptop')
    await hands.press('Create token')
    const answer = JSON.parse(await runShell(await hands.page.locator('#first-request').innerText()))
    expect(answer.data).toHaveLength(1)
    await hands.visit(context.link)
    expect(await hands.heading()).toBe('This link no longer works')
  })

  describe.each(triedWays)('%s', (way) => {
    test('a search is saved, and its first hits are there at once', { timeout: 120_000 }, async () => {
      const hands = await windowOf(way)
      await hands.visit('/')
      await hands.follow('New search')
      const name = `Buildings ${way}`
      await hands.fill('Name', name)
      const sector = 'Find a CPV code: Trades, any of these'
      await hands.fill(sector, 'construction work')
      if (way === 'by keys') {
        // suggestions: down to the first, which Enter takes
        await hands.page.getByRole('option').first().waitFor()
        await hands.page.keyboard.press('ArrowDown')
        await Promise.all([hands.page.waitForEvent('load'), hands.page.keyboard.press('Enter')])
      } else {
        await hands.press('Find')
        await hands.tick(/^45000000 /)
      }
      await hands.tick(/^Also report the tenders that are open now/)
      await hands.press('Count')
      expect(await hands.text()).toContain('Open tenders that match today')
      await hands.press('Save search')
      expect(await hands.text()).toContain('open tenders became hits.')
      await hands.follow('Its hits')
      expect(await hands.page.getByRole('main').getByRole('link').filter({ hasText: /–/ }).count()).toBeGreaterThan(0)
    })

    test('flow 11: the explorer works with every filter, and the request that it shows returns the same records', {
      timeout: 120_000,
    }, async () => {
      const hands = await windowOf(way)
      const fields = (name: string) => hands.page.locator(`main [name="${name}"]`)
      const asked: { readonly [name: string]: string }[] = [
        { cpv: '45000000, 71000000', value_min: '1000', limit: '7' },
        { nuts: 'DE', published_since: '2020-01-01T00:00:00Z', deadline_after: '2026-01-01T00:00:00Z' },
        { updated_since: '2026-01-01T00:00:00Z', value_max: '90000000', procedure: 'open', archived: 'true' },
      ]
      for (const filters of asked) {
        await hands.visit('/explorer')
        for (const [name, value] of Object.entries(filters)) {
          const isPicked = name === 'cpv' || name === 'nuts'
          if (name === 'archived') await hands.choose(fields(name), value)
          else await hands.fill(fields(isPicked ? `${name}-q` : name), value)
        }
        await hands.press('Query the API')
        const ids = (text: string) => (JSON.parse(text) as Page).data.map(({ id }) => id)
        const shown = ids(await hands.page.locator('#answer').innerText())
        expect(shown.length).toBeGreaterThan(0)
        const query = new URLSearchParams({ ...filters, ...(filters['cpv'] && { cpv: '45000000,71000000' }) })
        expect(shown).toEqual((await ask(query.toString())).data.map(({ id }) => id))
        const token = 'export TENDER_TOKEN=$(cat data/trial-token)'
        expect(ids(await runShell(`${token}\n${await hands.page.locator('#request').innerText()}`))).toEqual(shown)
      }
    })

    test('a portal is checked and read from its page', { timeout: 120_000 }, async () => {
      const desk = await windowOf(way)
      await desk.visit('/operator/sources')
      await desk.follow('Find a Tender')
      await desk.press('Check')
      expect(await desk.text()).toMatch(/It answers(?: as its card says|, and has nothing new)\./)
      await desk.press('Read now')
      // at midnight two days are due
      expect(await desk.text()).toMatch(/(?:Read|\d+ readings): \d+ notices\.|Nothing is due/)
      // one that is not simulated: nobody contacts the real portal on behalf of made-up notices
      await desk.visit('/operator/sources/at-kdq-bbg')
      await desk.press('Check')
      expect(await desk.text()).toContain('This service reads sample portals')
    })
  })
})
