// Hostile notices stay text on every page that shows notices: over HTTP, and in Chromium, where nothing runs and nothing sticks out.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import type { Notice } from '../../src/domain/notice.ts'
import { insertDocuments, insertRejections, packDocument } from '../../src/store/documents.ts'
import { upsertEdges } from '../../src/store/matches.ts'
import { insertAlarm } from '../../src/store/source-health.ts'
import { receiveNotices } from '../receive-notices.ts'
import { at, lot, notice } from '../testing/generate/notices.ts'
import { engines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'
import { hostileAddresses, hostileTexts } from './hostile-texts.ts'

const browserPath = '/usr/bin/chromium'
const hasBrowser = existsSync(browserPath)
if (!hasBrowser) console.log('skipped: hostile notices in a browser (no chromium)')

let browser: Browser | undefined
beforeAll(async () => {
  if (hasBrowser) browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
})
afterAll(() => browser?.close())

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

const textAt = (index: number): string => hostileTexts[index % hostileTexts.length]!
const addressAt = (index: number): string => hostileAddresses[index % hostileAddresses.length]!

/** A call whose every text is an attack. */
function hostileNotice(index: number): Notice {
  const text = textAt(index)
  return notice({
    noticeKey: `ted:${index}-2026`,
    publisher: textAt(index + 1).slice(0, 200),
    publicationNumber: textAt(index + 2),
    title: { de: text, en: textAt(index + 3) },
    description: { de: `${text} ${textAt(index + 4)}` },
    internalReference: textAt(index + 5),
    contractingAuthorities: [
      {
        name: `${index} ${textAt(index + 6)}`,
        city: text,
        country: 'DE',
        email: addressAt(index),
        url: addressAt(index),
      },
    ],
    procedureTypeNational: text,
    contractNature: text,
    legalBasis: text,
    buyerProfileUrl: addressAt(index + 1),
    documentsUrl: addressAt(index),
    submissionUrl: addressAt(index + 2),
    url: addressAt(index),
    publicationDate: at('2026-11-05'),
    lots: [
      lot(text, {
        title: { de: text },
        submissionDate: at('2026-12-01T10:00'),
        estimatedValue: { value: 5000, currency: text.slice(0, 60) },
      }),
    ],
  })
}

/** A change of it, so that texts stand in the history too. */
const changed = (index: number): Notice => ({
  ...hostileNotice(index),
  noticeKey: `ted:${index + 500}-2026`,
  formType: 'change',
  title: { de: textAt(index + 7) },
  publicationDate: at('2026-11-15'),
  references: [{ kind: 'changes', publicationNumber: textAt(index + 2) }],
})

async function openHostileWorld(engine: (typeof engines)[number]) {
  const world = await openConsoleWorld(engine)
  opened.push(world)
  const { store } = world
  const indexes = hostileTexts.map((_, index) => index)
  await receiveNotices(
    store,
    indexes.flatMap((index) => [hostileNotice(index), changed(index)]),
  )
  await consolidate(store, { now: world.now() })
  await world.publish()
  const documents = hostileTexts.map((text, index) => ({
    documentId: index.toString(16).padStart(64, 'a'),
    sourceId: 'doe',
    address: `${text} ${addressAt(index)}`,
    receivedAt: startOfConsole,
    byteSize: Buffer.byteLength(text),
    packed: packDocument(Buffer.from(text)),
    parserVersion: 1,
  }))
  await insertDocuments(store.db, documents)
  await insertRejections(
    store.db,
    documents.map(({ documentId }, index) => ({
      documentId,
      pointer: `/${index}`,
      rejection: { reason: 'malformed', path: textAt(index + 1), detail: textAt(index) },
      rejectedAt: startOfConsole,
    })),
  )
  for (const [index, detail] of hostileTexts.entries())
    await insertAlarm(store.db, {
      sourceId: 'doe',
      kind: 'drift',
      raisedAt: index,
      detail: detail.replaceAll('\0', ''),
      share: 0,
    })
  const tenders = await store.db
    .selectFrom('tender')
    .select(['tender_id', 'founding_key'])
    .orderBy('tender_id')
    .execute()
  const keys = tenders.map((row) => row.founding_key).sort()
  await upsertEdges(
    store.db,
    keys.slice(1).map((right, index) => ({
      left: keys[0]!,
      right,
      kind: 'review' as const,
      rule: 'made-up',
      score: 9,
      evidence: textAt(index).replaceAll('\0', ''),
    })),
  )
  const { cookie } = await world.person('op@example.org', { isOperator: true })
  await world.place.reads.titles()
  const pages = [
    '/operator',
    '/operator/reviews',
    '/operator/rejections',
    '/operator/sources/doe',
    '/operator/audit',
    ...tenders.map((row) => `/tenders/${row.tender_id}`),
    ...keys
      .slice(1, 21)
      .map((right) => `/operator/reviews/pair?left=${encodeURIComponent(keys[0]!)}&right=${encodeURIComponent(right)}`),
  ]
  return { ...world, cookie, pages, documents }
}

describe.each(engines)('hostile notices (%s)', (engine) => {
  test('are text in every answer: no markup, no attribute, no address of theirs', async () => {
    const { get, cookie, pages, documents } = await openHostileWorld(engine)
    let shown = 0
    for (const path of pages) {
      const answer = await get(path, cookie)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
      const markup = await answer.text()
      const tags = markup.match(/<[a-z!/][^>]*>/gi) ?? []
      // what a browser takes for a tag is one of ours, and none of them has what only an attack has
      for (const tag of tags) {
        expect(tag).toMatch(/^<(?:!doctype html|\/?[a-z][a-z0-9]*(?:\s[^<]*)?\/?)>$/i)
        expect(tag).not.toMatch(/\son[a-z]+\s*=|\sstyle\s*=|srcdoc|<(?:iframe|base|img|object|embed|style|math)/i)
        const [, address] = /\s(?:href|src|action|formaction)="([^"]*)"/.exec(tag) ?? []
        if (address !== undefined) expect(address).toMatch(/^(?:\/(?!\/)|https?:\/\/|#)/)
      }
      expect(markup.match(/<script[^>]*>/g)?.every((tag) => tag.includes('type="module" src="/assets/'))).toBe(true)
      expect(markup).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      if (markup.includes('&lt;script&gt;')) shown++
    }
    // the attacks did arrive on the pages
    expect(shown).toBeGreaterThan(20)
    const raw = await get(`/operator/documents/${documents[0]!.documentId}`, cookie)
    expect(raw.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(raw.headers.get('content-security-policy')).toMatch(/; sandbox$/)
  })

  test.skipIf(!hasBrowser)(
    'run nothing in Chromium, break no policy and do not stick out at 360 pixels',
    async () => {
      const { origin, cookie, pages, documents } = await openHostileWorld(engine)
      const context = await browser!.newContext({ viewport: { width: 360, height: 800 } })
      await context.addCookies([{ name: 'session', value: cookie, url: origin }])
      const tab = await context.newPage()
      const alarms: string[] = []
      tab.on('dialog', (dialog) => {
        alarms.push(`dialog ${dialog.message()}`)
        void dialog.dismiss()
      })
      tab.on('console', (message) => {
        if (/content security policy|trusted ?type/i.test(message.text())) alarms.push(message.text())
      })
      tab.on('request', (request) => {
        if (!request.url().startsWith(origin)) alarms.push(`request ${request.url()}`)
      })
      const overflows: string[] = []
      for (const path of [...pages, `/operator/documents/${documents[0]!.documentId}`]) {
        await tab.goto(`${origin}${path}`)
        // what is closed at first is shown too
        const excess = await tab.evaluate<number>(`
          for (const each of document.querySelectorAll('details')) each.open = true
          document.documentElement.scrollWidth - document.documentElement.clientWidth`)
        if (excess > 0) overflows.push(`${path}: ${excess}`)
      }
      expect(alarms).toEqual([])
      expect(overflows).toEqual([])
      await context.close()
    },
    120_000,
  )
})
