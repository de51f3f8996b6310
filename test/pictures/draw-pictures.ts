// Draws the pictures of the console that README.md, the first page and shared links show, from the made-up tenders of a
// first start. Run: node test/pictures/draw-pictures.ts
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { launchChromium } from '../testing/chromium.ts'
import { putEmptyStock } from '../world.ts'

const repository = join(import.meta.dirname, '../..')
const program = join(repository, 'src/bin/tenderstock.ts')

type Picture = {
  /** Path in the repository. */
  readonly file: string
  readonly width: number
  readonly height: number
  /** Pixels of the file for each of the page. */
  readonly scale: number
  readonly format: 'webp' | 'png'
  readonly quality?: number
}

const window = { width: 1200, height: 780, scale: 1, format: 'webp', quality: 70 } as const

await using closing = new AsyncDisposableStack()
const folder = await putEmptyStock(await mkdtemp(join(tmpdir(), 'tenderstock-pictures-')))
closing.defer(() => rm(folder, { recursive: true, force: true }))
const service = spawn(process.execPath, [program, 'start', '--data', folder, '--api-port', '0', '--json'], {
  env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
closing.defer(async () => {
  service.kill('SIGTERM')
  await once(service, 'close')
})
const browser = await launchChromium()
closing.defer(() => browser.close())

let origin = ''
for await (const line of createInterface({ input: service.stdout })) {
  const event = JSON.parse(line) as { readonly event: string; readonly console?: string }
  if (event.event !== 'ready') continue
  origin = event.console!
  break
}
service.stdout.resume()
const made = spawnSync(process.execPath, [program, 'console', 'link', '--data', folder, '--json'], { encoding: 'utf8' })
const { link } = JSON.parse(made.stdout.trim().split('\n').at(-1)!) as { readonly link: string }

const context = await browser.newContext({ viewport: { width: 1200, height: 780 }, colorScheme: 'light', locale: 'en' })
const page = await context.newPage()

// until the words of the first edition are in the index
do await page.goto(`${origin}/tenders?words=school`)
while ((await page.locator('main .finds > li').count()) < 3)
await draw({ ...window, file: 'docs/pictures/console.webp' })
await draw({ width: 1200, height: 630, scale: 1, format: 'png', file: 'src/console/browser/shared-link.png' })

await page.goto(link)
await page.locator('main form button').first().click()
await page.waitForLoadState()
const { pathname } = new URL(page.url())
for (let found = 0; found === 0; found = await page.locator('main article, main li h3').count())
  await page.goto(`${origin}${pathname}/hits`)
await draw({ ...window, file: 'docs/pictures/hits.webp' })
await draw({ ...window, scale: 0.6, quality: 36, file: 'src/console/browser/hits.webp' })

/** Takes the window as it is. */
async function draw({ file, width, height, format, quality, scale }: Picture): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  const debug = await context.newCDPSession(page)
  const { data } = await debug.send('Page.captureScreenshot', {
    format,
    ...(quality !== undefined && { quality }),
    clip: { x: 0, y: 0, width, height, scale },
  })
  await writeFile(join(repository, file), Buffer.from(data, 'base64'))
  console.log(`${file}: ${Buffer.from(data, 'base64').length} bytes`)
}
