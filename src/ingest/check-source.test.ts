// The live check of a source: which span it covers, and when an answer without entries is a finding.
import { describe, expect, it } from 'vitest'
import type { FetchContext } from '../sources/fetch.ts'
import { source as eop } from '../sources/portals/bg/eop.ts'
import { source as pncp } from '../sources/portals/br/pncp.ts'
import { source as findATender } from '../sources/portals/gb/find-a-tender.ts'
import { source as ekr } from '../sources/portals/hu/ekr.ts'
import { source as georgia } from '../sources/portals/us/georgia.ts'
import { source as treasury } from '../sources/portals/za/national-treasury.ts'
import type { Source } from '../sources/source.ts'
import { checkSource } from './check-source.ts'

const release = {
  ocid: 'ocds-9t57fa-1',
  id: '1',
  date: '2026-11-20T08:00:00Z',
  tag: ['tender'],
  buyer: { name: 'Department of Samples' },
  tender: { id: '1', title: 'Desks' },
}

const monday = Date.UTC(2026, 10, 23, 6)

/** The check of a portal that answers every request with this body, or 404; on a Monday by default. */
function answering(source: Source, bodyOf: (url: URL) => string | undefined, now = monday) {
  const send: FetchContext['send'] = async ({ url }) => {
    const body = bodyOf(new URL(url))
    const bytes = Buffer.from(body ?? '')
    return {
      status: body === undefined ? 404 : 200,
      headers: {},
      version: undefined,
      bytes: async () => bytes,
      async *chunks() {
        yield bytes
      },
    }
  }
  const signal = new AbortController().signal
  return checkSource(source, { send, key: undefined, now: () => now, scratchFolder: '/nonexistent', signal })
}

/** A portal that published only on these days. */
const checked = (days: readonly string[]) =>
  answering(treasury, ({ searchParams }) =>
    JSON.stringify({ releases: days.includes(searchParams.get('dateFrom')!) ? [release] : [], links: {} }),
  )

describe('the check of a list that is read whole, or back from today', () => {
  it('reports a whole list that is empty', async () => {
    expect(await answering(georgia, () => '{"data":[],"recordsFiltered":0,"recordsTotal":0}')).toMatchObject({
      verdict: 'differs',
      findings: ['The list is empty.'],
    })
  })
  it('first requests the current week of a list that runs back from today', async () => {
    const entry = {
      id: 7,
      eljarasTargya: 'Desks',
      ajanlatkeroNeve: 'School',
      hirdetmenyKozzetetelDatuma: '2026-11-22T23:00:00.000+0000',
    }
    const { verdict, slot, requests } = await answering(ekr, ({ pathname }) =>
      JSON.stringify(pathname.endsWith('/7') ? entry : { lista: [entry] }),
    )
    expect([verdict, slot]).toEqual(['ok', '2026-W48'])
    expect(requests.length).toBeLessThanOrEqual(6)
  })
})

describe('the check of a portal with a file for each day', () => {
  const row = {
    noticeId: 1,
    uniqueProcurementNumber: '0001-2026-1',
    buyerName: 'School',
    publicationDate: '2026-11-20',
  }
  it('takes the newest file that is there', async () => {
    const { slot, documents, findings } = await answering(eop, ({ pathname }) =>
      pathname.includes('2026-11-20') ? JSON.stringify([row]) : undefined,
    )
    expect([slot, documents, findings.join()]).toEqual(['2026-11-20', 1, expect.not.stringContaining('not published')])
  })
  it('reports the days if there is none', async () => {
    expect(await answering(eop, () => undefined)).toMatchObject({
      verdict: 'differs',
      documents: 0,
      findings: ['2026-11-22, 2026-11-21, 2026-11-20, 2026-11-19, 2026-11-18: not published yet.'],
    })
  })
})

describe('the check of a portal that is read by hours', () => {
  it('requests the hours around noon of the days before', async () => {
    const asked: string[] = []
    const answer = ({ searchParams }: URL) => {
      asked.push(searchParams.get('updatedFrom')!)
      return '{"releases":[]}'
    }
    await answering(findATender, answer, Date.UTC(2026, 6, 20, 6))
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
  it('sends one request if yesterday had entries', async () => {
    expect(await checked(['2026-11-22', '2026-11-20'])).toMatchObject({
      verdict: 'ok',
      slot: '2026-11-22',
      requests: { length: 1 },
    })
  })
  it('calls five days without an entry quiet: neither a fault nor ok', async () => {
    const { verdict, findings, requests, documents } = await checked([])
    expect([verdict, findings, documents]).toEqual(['quiet', [], 0])
    expect(requests).toHaveLength(5)
  })
  it('calls a portal quiet that counts no entry in as many lists as a check may request', async () => {
    const lists = (total: object) => answering(pncp, () => JSON.stringify({ data: [], ...total, totalPaginas: 0 }))
    expect(await lists({ totalRegistros: 0 })).toMatchObject({
      verdict: 'quiet',
      findings: [],
      requests: { length: 6 },
    })
    expect(await lists({})).toMatchObject({ verdict: expect.not.stringMatching('quiet'), documents: 0 })
  })
  it('calls a list that is not where the card says unreachable, never quiet', async () => {
    expect(await answering(treasury, () => '{"results":[]}')).toMatchObject({ verdict: 'unreachable', documents: 0 })
  })
  it('reports entries that lack what the card says', async () => {
    const { verdict, findings } = await answering(treasury, () => '{"releases":[{"id":"1"}],"links":{}}')
    expect(verdict).toBe('differs')
    expect(findings.join(' ')).toContain('/releases/0/ocid')
  })
})
