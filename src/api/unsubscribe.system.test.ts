import { describe, expect, test } from 'vitest'
import { startApi } from '../../test/api-world.ts'

const token = 'A'.repeat(86)

describe('the page to unsubscribe', () => {
  const opened = async (isKnown = (text: string) => text === token) => {
    const asked: string[] = []
    const lines: unknown[] = []
    const log = { info: (line: unknown) => lines.push(line), error: (line: unknown) => lines.push(line) }
    const api = await startApi({
      unsubscribe: async (text) => {
        asked.push(text)
        return isKnown(text)
      },
      refusedPerMinute: 3,
      log: log as never,
    })
    return { api, asked, lines, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
  }
  const post = (origin: string, query: string, body?: string | FormData, headers: Record<string, string> = {}) =>
    fetch(`${origin}/unsubscribe${query}`, { method: 'POST', headers, ...(body !== undefined && { body }) })

  test('shows a form without scripts, and ends nothing', async () => {
    await using world = await opened()
    const answer = await fetch(`${world.api.origin}/unsubscribe?token=${token}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; form-action 'self'")
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    const page = await answer.text()
    expect(page).toContain('<form method="post">')
    expect(page).not.toContain(token)
    const ofSearch = await fetch(`${world.api.origin}/unsubscribe/search?token=${token}`)
    expect(await ofSearch.text()).toContain('Other searches stay')
    expect(world.asked).toEqual([])
  })

  test('ends the mails with one click, whatever form it takes', async () => {
    await using world = await opened()
    const { origin } = world.api
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    for (const answer of [
      await post(origin, `?token=${token}`, 'List-Unsubscribe=One-Click', {
        'content-type': 'application/x-www-form-urlencoded',
      }),
      await post(origin, `?token=${token}`, form),
      await post(origin, `?token=${token}`, '{}', { 'content-type': 'application/json' }),
      await post(origin, `?token=${token}`),
    ]) {
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain('You will receive no more mails')
    }
    expect(world.asked).toEqual([token, token, token, token])
    expect(JSON.stringify(world.lines)).not.toContain(token)
  })

  test('looks up nothing that cannot be a token, and holds floods back', async () => {
    await using world = await opened()
    const { origin } = world.api
    for (const query of ['', `?token=${token}x`, `?other=${token}`])
      expect((await post(origin, query)).status, query).toBe(404)
    expect(world.asked).toEqual([])
    const flooded = await post(origin, `?token=${'B'.repeat(86)}`)
    expect(flooded.status).toBe(429)
    expect(Number(flooded.headers.get('retry-after'))).toBeGreaterThan(0)
    // a correct token still works
    expect((await post(origin, `?token=${token}`)).status).toBe(200)
  })

  test('reports when nobody can end mails, and reads no long bodies', async () => {
    await using world = await opened(() => {
      throw new Error('connection refused at 10.0.0.7')
    })
    const { origin } = world.api
    const failed = await post(origin, `?token=${token}`)
    expect(failed.status).toBe(503)
    expect(failed.headers.get('retry-after')).not.toBeNull()
    expect(await failed.text()).not.toContain('10.0.0.7')
    expect((await post(origin, `?token=${token}`, 'x'.repeat(2000))).status).toBe(400)
  })

  test('does not exist without mails', async () => {
    await using api = await startApi()
    expect((await fetch(`${api.origin}/unsubscribe?token=${token}`)).status).toBe(404)
    expect((await post(api.origin, `?token=${token}`)).status).toBe(404)
  })
})
