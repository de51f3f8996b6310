// The pages of codes: search in both languages, the tree, suggestions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

describe('codes', () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await openConsoleWorld('embedded')
  })
  afterAll(async () => {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })
  const read = async (path: string, language = 'en') => {
    const answer = await world.get(path, undefined, { 'accept-language': language })
    expect(answer.status).toBe(200)
    return answer.text()
  }

  test('are found by words of either language, and by their beginning', async () => {
    expect(await read('/codes/cpv?q=Stra%C3%9Feninstandhaltung')).toContain('Road-maintenance works')
    expect(await read('/codes/cpv?q=road+maintenance', 'de')).toContain('Straßeninstandhaltungsarbeiten')
    expect(await read('/codes/nuts?q=DE21')).toContain('<code>DE212</code>')
    const none = await read('/codes/cpv?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E')
    expect(none).toContain('No code matches “&lt;script&gt;alert(1)&lt;/script&gt;”')
  })

  test('can be browsed as a tree by links alone', async () => {
    expect(await read('/codes/cpv')).toContain('href="/codes/cpv?at=45000000"')
    const below = await read('/codes/cpv?at=45233000', 'de')
    expect(below).toContain('href="/codes/cpv?at=45230000"')
    expect(below).toContain('<code>45233100</code>')
    expect(await read('/codes/nuts?at=DE2')).toContain('Upper Bavaria')
    expect(await read('/codes/cpv?at=nonsense')).toContain('href="/codes/cpv?at=45000000"')
  })

  test('are suggested as JSON in the language of the reader', async () => {
    const { codes } = JSON.parse(await read('/codes/cpv.json?q=45233141', 'de'))
    expect(codes).toEqual([{ code: '45233141', label: 'Straßeninstandhaltungsarbeiten', open: null }])
    expect(JSON.parse(await read('/codes/cpv.json'))).toEqual({ codes: [] })
  })
})
