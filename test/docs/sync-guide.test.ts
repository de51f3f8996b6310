// The sync guide: its pictures exist and have texts, its links lead somewhere, its numbers exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../docs/sync')
const guide = readFileSync(join(folder, 'guide.md'), 'utf8')
const pictures = readdirSync(folder).filter((name) => name.endsWith('.svg'))

describe('the sync guide', () => {
  test('shows every picture of its folder, with an alternative text', () => {
    expect(pictures.length).toBeGreaterThanOrEqual(5)
    for (const name of pictures) expect(guide).toMatch(new RegExp(`!\\[.{20,}\\]\\(${name}\\)`))
  })

  test.each(pictures)(
    '%s has a title, a description, no text smaller than 15 of 640, and no external content',
    (name) => {
      const svg = readFileSync(join(folder, name), 'utf8')
      expect(svg).toMatch(/<title id="t">.{20,}<\/title>/)
      expect(svg).toMatch(/<desc id="d">.{60,}<\/desc>/)
      expect(svg).toContain('viewBox="0 0 640 ')
      const sizes = [...svg.matchAll(/font-size="(\d+)"/g)].map(([, size]) => Number(size))
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(15)
      expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|<image/)
    },
  )

  test('has no dead link into the project', () => {
    const targets = [...guide.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)].map(([, target]) => target!)
    expect(targets.length).toBeGreaterThan(10)
    for (const target of targets)
      if (!target.includes('://')) expect(existsSync(join(folder, target)), target).toBe(true)
  })

  test('names the rules that a client must keep, C144 to C161, which the specification lists', () => {
    expect(guide).toContain('[C144 to C161](../specification.md#8-deltas)')
    const [, rules] = /8\.3 The client of this repository([\s\S]*?)\n## 9/.exec(
      readFileSync(join(folder, '../specification.md'), 'utf8'),
    )!
    const named = new Set([...rules!.matchAll(/\bC(\d+)\b/g)].map(([, number]) => Number(number)))
    for (let number = 144; number <= 161; number++) expect(named, `C${number}`).toContain(number)
  })
})
