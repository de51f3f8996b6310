// The live check of a source: which span it looks at, and when an answer without entries is a finding.
import { describe, expect, it } from 'vitest'
import type { FetchContext } from '../sources/fetch.ts'
import { source as findATender } from '../sources/portals/gb/find-a-tender.ts'
import { source as treasury } from '../sources/portals/za/national-treasury.ts'
import { checkSource } from './check-source.ts'

const release = {
  ocid: 'ocds-9t57fa-1',
  id: '1',
  date: '2026-11-20T08:00:00Z',
  tag: ['tender'],
  buyer: { name: 'Department of Samples' },
  tender: { id: '1', title: 'Desks' },
}

/** A portal that published on these days alone, asked on Monday, 23 November 2026. */
async function checked(days: readonly string[]) {
  const send: FetchContext['send'] = async ({ url }) => {
    const day = new URL(url).searchParams.get('dateFrom')!
    const bytes = Buffer.from(JSON.stringify({ releases: days.includes(day) ? [release] : [], links: {} }))
    return {
      status: 200,
      headers: {},
      version: undefined,
      bytes: async () => bytes,
      async *chunks() {
        yield bytes
      },
    }
  }
  return checkSource(treasury, {
    send,
    key: undefined,
    now: () => Date.UTC(2026, 10, 23, 6),
    scratchFolder: '/nonexistent',
    signal: new AbortController().signal,
  })
}

describe('the check of a portal that is read by hours', () => {
  it('asks for the hours about noon of the days before', async () => {
    const asked: string[] = []
    const send: FetchContext['send'] = async ({ url }) => {
      asked.push(new URL(url).searchParams.get('updatedFrom')!)
      const bytes = Buffer.from('{"releases":[]}')
      return {
        status: 200,
        headers: {},
        version: undefined,
        bytes: async () => bytes,
        async *chunks() {
          yield bytes
        },
      }
    }
    const options = { key: undefined, scratchFolder: '/nonexistent', signal: new AbortController().signal }
    await checkSource(findATender, { ...options, send, now: () => Date.UTC(2026, 6, 20, 6) })
    expect(asked).toEqual([
      '2026-07-19T18:00:00',
      '2026-07-19T12:00:00',
      '2026-07-18T12:00:00',
      '2026-07-17T12:00:00',
      '2026-07-16T12:00:00',
    ])
  })
})

describe('the check of a portal that publishes by days', () => {
  it('goes back over a Sunday and a Saturday to the Friday', async () => {
    expect(await checked(['2026-11-20'])).toMatchObject({
      verdict: 'ok',
      slot: '2026-11-20',
      documents: 1,
      notices: 1,
      requests: { length: 3 },
    })
  })
  it('asks once where yesterday had entries', async () => {
    expect(await checked(['2026-11-22', '2026-11-20'])).toMatchObject({
      verdict: 'ok',
      slot: '2026-11-22',
      requests: { length: 1 },
    })
  })
  it('finds fault with five days without an entry', async () => {
    const { verdict, findings, requests } = await checked([])
    expect(verdict).toBe('differs')
    expect(findings.join(' ')).toContain('/releases/0/ocid')
    expect(requests).toHaveLength(5)
  })
})
