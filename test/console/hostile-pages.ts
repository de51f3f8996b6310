// What must hold for a page or mail that shows texts of strangers: they are text in it, and nothing else.
import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'
import { escapeHtml } from '../../src/console/frame/html.ts'
import { hostileTexts } from './hostile-texts.ts'

/**
 * Checks that everything that a browser treats as a tag is one of ours, and that none of them has what only an attack
 * has.
 */
export function expectOnlyText(markup: string, where: string): void {
  for (const tag of markup.match(/<[a-z!/][^>]*>/gi) ?? []) {
    expect(tag, where).toMatch(/^<(?:!doctype html|\/?[a-z][a-z0-9]*(?:\s[^<]*)?\/?)>$/i)
    const names = tag.replace(/"[^"]*"/g, '""')
    expect(names, where).not.toMatch(/\son[a-z]+\s*=|\sstyle\s*=|srcdoc|<(?:iframe|base|img|object|embed|style|math)/i)
    const [, address] = /\s(?:href|src|action|formaction)="([^"]*)"/.exec(tag) ?? []
    if (address !== undefined)
      expect(address, where).toMatch(/^(?:\/(?!\/)|https?:\/\/|#|mailto:\?subject=[\w.~!*'()%-]*&amp;body=http)/)
  }
  for (const tag of markup.match(/<script[^>]*>/g) ?? [])
    expect(tag, where).toContain('<script type="module" src="/assets/')
  expect(markup, where).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
}

/** The same for a mail, which has one sheet in its head and inline styles that load nothing. */
export function expectOnlyTextInMail(mail: string, where: string): void {
  expect(mail.split('<style>'), where).toHaveLength(2)
  const [, head, rest] = /^(.*)<style>:root[^<]*<\/style>(\s*<\/head>.*)$/s.exec(mail) ?? []
  expect(rest, where).toBeDefined()
  expectOnlyText(head! + rest!.replace(/ style="(?![^"]*url)[\w:;,.#%' -]*"/g, ''), where)
}

/** Which of the attacks it contains as text. */
export const attacksIn = (markup: string): number[] =>
  hostileTexts.flatMap((text, index) => {
    // a database accepts no NUL, and lists of words and codes accept no further spaces
    const shown = escapeHtml(text.replaceAll('\0', '')).trim()
    return markup.includes(shown) ? [index] : []
  })

/** Opens pages one after the other. Returns what ran, was requested elsewhere, broke the policy or overflowed. */
export async function lookAt(
  context: BrowserContext,
  origin: string,
  paths: readonly string[],
): Promise<{ readonly alarms: readonly string[]; readonly overflows: readonly string[] }> {
  const tab = await context.newPage()
  const alarms: string[] = []
  tab.on('dialog', (dialog) => {
    alarms.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  tab.on('console', (message) => {
    if (/content security policy|trusted ?type/i.test(message.text())) alarms.push(message.text())
  })
  tab.on('pageerror', (error) => alarms.push(`error ${error.message}`))
  tab.on('request', (request) => {
    if (!request.url().startsWith(origin)) alarms.push(`request ${request.url()}`)
  })
  const overflows: string[] = []
  for (const path of paths) {
    const answer = await tab.goto(`${origin}${path}`)
    expect([tab.url(), answer?.status()]).toEqual([new URL(path, origin).href, 200])
    // content that is closed at first is shown too
    const excess = await tab.evaluate<number>(`
      for (const each of document.querySelectorAll('details')) each.open = true
      document.documentElement.scrollWidth - document.documentElement.clientWidth`)
    if (excess > 0) overflows.push(`${path}: ${excess}`)
  }
  await tab.close()
  return { alarms, overflows }
}
