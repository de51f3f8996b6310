// The documentation site from outside: links to nowhere, anchors, search, errors, fields, languages.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

/** Links of a page that stay on the site, as written. */
const linksOf = (page: string): string[] =>
  [...page.matchAll(/<(?:a|link|img|script|form)\b[^>]*?\s(?:href|src|action)="([^"]*)"/g)]
    .map(([, to]) => to!.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
    .filter((to) => !/^(?:https?:|mailto:)/.test(to))

describe.each(engines)('the documentation (%s)', (engine) => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await openConsoleWorld(engine)
  })
  afterAll(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })

  test('has no link to nowhere on any public page, and every anchor is there', { timeout: 120_000 }, async () => {
    const pages = new Map<string, string>()
    const lost: string[] = []
    const waiting: (readonly [to: string, from: string])[] = [['/', '']]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, from] = next
      if (pages.has(path)) continue
      const answer = await world.get(path)
      const text = await answer.text()
      pages.set(path, text)
      if (![200, 303].includes(answer.status)) lost.push(`${from} → ${path}: ${answer.status}`)
      if (!answer.headers.get('content-type')?.startsWith('text/html')) continue
      for (const link of linksOf(text)) {
        const to = new URL(link, `${world.origin}${path}`)
        if (!to.pathname.startsWith('/language')) waiting.push([to.pathname, path])
      }
    }
    expect(lost.filter((each) => !/→ \/(?:explorer|sign-in)/.test(each))).toEqual([])
    for (const [path, text] of pages)
      for (const link of linksOf(text)) {
        const to = new URL(link, `${world.origin}${path}`)
        if (to.hash === '' || !pages.has(to.pathname)) continue
        const id = decodeURIComponent(to.hash.slice(1))
        if (!pages.get(to.pathname)!.includes(` id="${id}"`)) lost.push(`${path} → ${to.pathname}${to.hash}`)
      }
    expect(lost.filter((each) => !/→ \/(?:explorer|sign-in)/.test(each))).toEqual([])
    expect(pages.size).toBeGreaterThan(110)
  })
})
