// Assertions on one published state: the record, the list, its order, pages and filters.
import { expect } from 'vitest'
import { assertion } from './ledger.ts'
import { isOrdered, type World } from './world.ts'

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Checks that any running service can pass, whatever its stock is. */
export function genericAssertions(world: World): void {
  const sample = () => world.list('archived=true').then((records) => records.slice(0, 2000))

  assertion('C1', 'only the two GET endpoints answer 2xx under /v1', async () => {
    const { id } = (await world.page('limit=1')).data[0]!
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const path of ['/v1/tenders', `/v1/tenders/${id}`])
        expect((await world.request(path, { method })).status).toBe(405)
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/tender',
      '/v1/tenders/',
      `/v1/tenders/${id}/lots`,
      '/v1/tokens',
      '/v1/hits',
      '/v2/tenders',
      '/V1/tenders',
      '//v1/tenders',
      '/v1//tenders',
    ])
      expect((await world.request(path)).status, path).toBe(404)
  })
  assertion('C3', 'a full crawl holds each id once', async () => {
    const ids = (await world.list('archived=true')).map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(0)
    expect(new Set(ids).size).toBe(ids.length)
  })
  assertion('C7', 'identical requests without a publication have identical answers', async () => {
    const [one, other] = [
      await world.request('/v1/tenders?limit=30&archived=true'),
      await world.request('/v1/tenders?limit=30&archived=true'),
    ]
    expect((other.json() as { data: unknown }).data).toEqual((one.json() as { data: unknown }).data)
  })
  assertion('C9', 'no answer holds scores, saved searches, hits or documents', async () => {
    for (const record of await sample())
      expect(
        Object.keys(record).filter((key) => /score|savedSearch|search|hit|fit/i.test(key) || key === 'documents'),
      ).toEqual([])
  })
  assertion('C11', 'every record has a UUID-shaped id', async () => {
    for (const { id } of await sample()) expect(id).toMatch(uuidPattern)
  })
  assertion('C13', 'every record has a status, archived ones too', async () => {
    for (const { status } of await sample()) expect(status).toMatch(/^[a-z][A-Za-z]*$/)
  })
  assertion('C14', 'the title is a string', async () => {
    for (const { title } of await sample()) expect(typeof title).toBe('string')
  })
  assertion('C15', 'submissionDate is absent or an instant with milliseconds', async () => {
    for (const { submissionDate } of await sample())
      if (submissionDate !== undefined) expect(submissionDate).toMatch(instantPattern)
  })
  assertion('C16', 'lastModified is always an instant with milliseconds', async () => {
    for (const { lastModified } of await sample()) expect(lastModified).toMatch(instantPattern)
  })
  assertion('C17', 'checkedAt is an instant', async () => {
    for (const { checkedAt } of await sample()) expect(checkedAt).toMatch(instantPattern)
  })
  assertion('C18', 'contractAmount is an object or null', async () => {
    for (const { contractAmount } of await sample())
      expect(contractAmount === null || typeof contractAmount === 'object').toBe(true)
  })
  assertion('C19', 'value is a number, currency a string, estimated a boolean', async () => {
    for (const { contractAmount } of await sample())
      if (contractAmount !== null)
        expect([typeof contractAmount.value, typeof contractAmount.currency, typeof contractAmount.estimated]).toEqual([
          'number',
          'string',
          'boolean',
        ])
  })
  assertion('C28', 'archiveReason is on archived records only and one of four', async () => {
    for (const { archiveReason, status } of await sample()) {
      if (archiveReason !== undefined) expect(['expired', 'cancelled', 'awarded', 'merged']).toContain(archiveReason)
      if (status === 'open') expect(archiveReason).toBeUndefined()
    }
  })
  assertion('C31', 'a list entry equals the record by id', async () => {
    for (const record of (await world.list('archived=true')).filter((_, index) => index % 40 === 0).slice(0, 60))
      expect((await world.request(`/v1/tenders/${record.id}`)).json()).toEqual(record)
  })
  assertion('C36', 'no archived record is listed unless requested', async () => {
    for (const { archiveReason } of await world.list('')) expect(archiveReason).toBeUndefined()
  })
  assertion('C37', 'no query returns 200 and the first page', async () => {
    const page = await world.page('')
    expect(page.data.length).toBeGreaterThan(0)
    expect(page.data.every(({ archiveReason }) => archiveReason === undefined)).toBe(true)
  })
  assertion('C38', 'the body is data and nextCursor', async () => {
    const body = (await world.request('/v1/tenders?limit=2')).json() as { data: unknown; nextCursor: unknown }
    expect(Object.keys(body).sort()).toEqual(['data', 'nextCursor'])
    expect(Array.isArray(body.data)).toBe(true)
    expect(body.nextCursor === null || typeof body.nextCursor === 'string').toBe(true)
  })
  assertion('C39', 'the content type is application/json', async () => {
    expect((await world.request('/v1/tenders')).headers['content-type']).toMatch(/^application\/json(;|$)/)
  })
  assertion('C40', 'all three rate headers are on a 200', async () => {
    const { headers } = await world.request('/v1/tenders?limit=1')
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      expect(headers[name], name).toMatch(/^\d+$/)
  })
  assertion('C41', 'a page holds 50 records by default', async () => {
    expect((await world.page('archived=true')).data.length).toBe(
      Math.min(50, (await world.list('archived=true')).length),
    )
  })
  assertion('C42', 'limit=1 and limit=100 are respected', async () => {
    const all = (await world.list('archived=true')).length
    expect((await world.page('archived=true&limit=1')).data.length).toBe(1)
    expect((await world.page('archived=true&limit=100')).data.length).toBe(Math.min(100, all))
  })
  assertion('C43', 'a page never exceeds 100 records', async () => {
    for (const limit of ['101', '1000', '0', '-1', '1.5', 'all', '', '0x10', '1e2'])
      await world.expectProblem(await world.request(`/v1/tenders?limit=${limit}`), 400, 'invalid-parameter')
  })
  assertion('C44', 'the whole result ascends by lastModified', async () => {
    for (const query of ['archived=true', '']) expect(isOrdered(await world.list(query, 37))).toBe(true)
  })
  assertion('C45', 'equal times are ordered by id (and no two records share a time)', async () => {
    const all = await world.list('archived=true')
    expect(isOrdered(all)).toBe(true)
    expect(new Set(all.map(({ lastModified }) => lastModified)).size).toBe(all.length)
  })
  assertion('C46', 'order and completeness hold across page boundaries', async () => {
    const all = (await world.list('archived=true', 100)).map(({ id }) => id)
    for (const limit of [1, 7, 50, 99])
      if (all.length / limit < 1000) expect((await world.list('archived=true', limit)).map(({ id }) => id)).toEqual(all)
  })
  assertion('C47', 'nextCursor is null exactly at the end', async () => {
    const all = await world.list('archived=true')
    let [count, cursor]: [number, string | null] = [0, null]
    for (;;) {
      const page = await world.page(`archived=true&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`)
      count += page.data.length
      cursor = page.nextCursor
      expect(cursor === null).toBe(count === all.length)
      if (cursor === null) break
    }
    if (all.length >= 100) {
      const last = all.at(-100)!
      const full = await world.page(`updated_since=${last.lastModified}&limit=100`)
      expect([full.data.length, full.nextCursor]).toEqual([100, null])
    }
  })
  assertion('C48', 'following the cursor yields every match exactly once', async () => {
    const all = (await world.list('archived=true', 100)).map(({ id }) => id)
    const paged = (await world.list('archived=true', 13)).map(({ id }) => id)
    expect(paged).toEqual(all)
  })
  assertion('C49', 'an empty result is a 200 without data and cursor', async () => {
    expect(await world.page('updated_since=2999-01-01T00:00:00Z')).toEqual({ data: [], nextCursor: null })
  })
  assertion('C50', 'the cursor continues strictly after the page before', async () => {
    const one = await world.page('archived=true&limit=5')
    const two = await world.page(`archived=true&limit=5&cursor=${one.nextCursor}`)
    expect(two.data[0]!.lastModified >= one.data.at(-1)!.lastModified).toBe(true)
    expect(two.data.some(({ id }) => one.data.some((before) => before.id === id))).toBe(false)
  })
  assertion('C53', 'any altered byte of a cursor is a 400, never data, never 500', async () => {
    const { nextCursor } = await world.page('archived=true&limit=5')
    expect(nextCursor).toMatch(/^[\w-]{1,512}$/)
    for (let at = 0; at < nextCursor!.length; at++) {
      const altered = nextCursor!.slice(0, at) + (nextCursor![at] === 'A' ? 'B' : 'A') + nextCursor!.slice(at + 1)
      expect((await world.request(`/v1/tenders?archived=true&limit=5&cursor=${altered}`)).status, altered).toBe(400)
    }
    for (const wrong of [
      'x',
      nextCursor!.slice(1),
      nextCursor!.slice(0, -1),
      `${nextCursor}A`,
      '%00',
      'a'.repeat(600),
      '..%2f..',
    ])
      await world.expectProblem(
        await world.request(`/v1/tenders?archived=true&limit=5&cursor=${wrong}`),
        400,
        'cursor-invalid',
      )
    await world.expectProblem(
      await world.request(`/v1/tenders?limit=5&cursor=${nextCursor}`),
      400,
      'cursor-filter-mismatch',
    )
  })
  assertion('C64', 'records without any CPV code drop out of the cpv filter', async () => {
    const all = Array.from({ length: 97 }, (_, index) => `${String(index + 3).padStart(2, '0')}000000`).join(',')
    for (const record of await world.list(`cpv=${all}&archived=true`))
      expect(record.cpvCodes.length + record.lots.flatMap((lot) => lot.cpvCodes).length).toBeGreaterThan(0)
  })
  assertion('C70', 'records without a region drop out of the nuts filter', async () => {
    for (const record of await world.list('nuts=DE,FR,PL,NO&archived=true'))
      expect(record.nutsCodes.length).toBeGreaterThan(0)
  })
  assertion('C75', 'updated_since includes its own time', async () => {
    const { id, lastModified } = (await world.list('archived=true')).at(-1)!
    expect((await world.list(`updated_since=${lastModified}`)).map((record) => record.id)).toEqual([id])
  })
  assertion('C76', '… and excludes the millisecond before', async () => {
    const { lastModified } = (await world.list('archived=true')).at(-1)!
    const later = new Date(Date.parse(lastModified) + 1).toISOString()
    expect(await world.list(`updated_since=${later}`)).toEqual([])
  })
  assertion('C77', 'updated_since in the future returns 200 and nothing', async () => {
    expect((await world.page('updated_since=2100-01-01T00:00:00.000Z')).data).toEqual([])
  })
  assertion('C90', 'archived=false equals its absence', async () => {
    expect(await world.list('archived=false')).toEqual(await world.list(''))
  })
  assertion('C91', 'archived=true returns archived and other records', async () => {
    const all = await world.list('archived=true')
    expect(all.some(({ archiveReason }) => archiveReason !== undefined)).toBe(true)
    expect(all.some(({ archiveReason }) => archiveReason === undefined)).toBe(true)
  })
  assertion('C92', 'with updated_since the archived parameter changes nothing', async () => {
    const since = (await world.list('archived=true'))[3]!.lastModified
    const pages = await Promise.all(
      ['', '&archived=true', '&archived=false'].map((extra) => world.list(`updated_since=${since}${extra}`)),
    )
    expect(pages[1]).toEqual(pages[0])
    expect(pages[2]).toEqual(pages[0])
  })
  assertion('C93', '… and is never an error', async () => {
    for (const value of ['yes', '', 'TRUE', '1'])
      expect((await world.request(`/v1/tenders?updated_since=2100-01-01T00:00:00Z&archived=${value}`)).status).toBe(200)
    await world.expectProblem(await world.request('/v1/tenders?archived=yes'), 400, 'invalid-parameter')
  })
  assertion('C107', 'one record by id, bare', async () => {
    const record = (await world.page('limit=1')).data[0]!
    const answer = await world.request(`/v1/tenders/${record.id}`)
    expect([answer.status, (answer.json() as { id: string }).id]).toEqual([200, record.id])
    expect((await world.request(`/v1/tenders/${record.id.toUpperCase()}`)).status).toBe(200)
    await world.expectProblem(await world.request('/v1/tenders/00000000-0000-4000-8000-000000000000'), 404, 'not-found')
    await world.expectProblem(await world.request('/v1/tenders/nothing'), 404, 'not-found')
  })
  assertion('C108', 'archived records are retrievable', async () => {
    const archived = (await world.list('archived=true')).find(({ archiveReason }) => archiveReason !== undefined)!
    expect((await world.request(`/v1/tenders/${archived.id}`)).status).toBe(200)
  })
  assertion('C140', 'all paths of the contract begin with /v1', async () => {
    const contract = (await world.request('/openapi.json')).json() as { paths: object }
    expect(Object.keys(contract.paths).every((path) => path.startsWith('/v1/'))).toBe(true)
    expect((await world.request('/tenders')).status).toBe(404)
  })
}

/** Assertions that need our fixtures: each filter with its boundary cases. */
export function filterAssertions(world: World): void {
  const cpv = (code: string): string => `cpv-${code}`

  assertion('C4', 'two notices of one tender known at ingest make one record', async () => {
    expect((await world.found('archived=true')).filter((name) => name === 'two-portals')).toHaveLength(1)
    expect((await world.record('two-portals')).originalSources).toHaveLength(2)
    expect((await world.found('archived=true')).filter((name) => name === 'awarded-before')).toHaveLength(1)
  })
  assertion('C8', 'records back to January 2022 stay retrievable', async () => {
    const old = await world.record('old')
    expect([old.archiveReason, old.submissionDate]).toEqual(['expired', '2022-02-15T10:00:00.000Z'])
    await world.expectFound('archived=true', { holds: ['old'] })
  })
  assertion('C20', 'a published value is delivered as is', async () => {
    expect((await world.record('value-100000.50')).contractAmount).toEqual({
      value: 100000.5,
      currency: 'EUR',
      estimated: false,
    })
    expect((await world.record('value-sek')).contractAmount).toEqual({
      value: 100000,
      currency: 'SEK',
      estimated: false,
    })
  })
  assertion('C22', 'a published value is never marked as an estimate', async () => {
    for (const name of ['value-100000', 'value-99999.99'])
      expect((await world.record(name)).contractAmount?.estimated).toBe(false)
    expect((await world.record('value-none')).contractAmount).toBeNull()
  })
  assertion('C32', 'a record carries all known facts', async () => {
    const record = await world.record('two-portals')
    expect(Object.keys(record)).toEqual(
      expect.arrayContaining([
        'title',
        'description',
        'tenderNumber',
        'contractingAuthority',
        'submissionDate',
        'contractAmount',
        'cpvCodes',
        'nutsCodes',
        'lots',
        'status',
        'originalSources',
      ]),
    )
    expect(record.contractingAuthority).toMatchObject({
      name: 'Authority of two-portals',
      email: 'office@authority.example',
    })
    expect((await world.record('deadline-participation-only')).participationDate).toBe(world.times.deadline)
    expect((await world.record('procedure-open')).procedureType).toBe('open')
  })
  assertion('C55', 'a full code matches itself only', () =>
    world.expectFound('cpv=45211100', {
      holds: [cpv('45211100'), 'cpv-in-lot'],
      lacks: [cpv('45211200'), cpv('45211000'), cpv('45210000')],
    }),
  )
  assertion('C56', '45210000 matches 4521xxxx, not 45220000', () =>
    world.expectFound('cpv=45210000', {
      holds: ['45210000', '45211000', '45211100', '45211200'].map(cpv),
      lacks: [cpv('45220000'), cpv('45000000')],
    }),
  )
  assertion('C57', '45000000 matches all of the division', () =>
    world.expectFound('cpv=45000000', {
      holds: ['45000000', '45210000', '45211100', '45220000'].map(cpv),
      lacks: [cpv('31000000')],
    }),
  )
  assertion('C58', 'six zeros are a division: 30000000 is not 31 or 39', () =>
    world.expectFound('cpv=30000000', {
      holds: ['30000000', '30192121', '30192126'].map(cpv),
      lacks: [cpv('31000000'), cpv('39000000')],
    }),
  )
  assertion('C59', '03212210 matches 03212211 to 03212213', () =>
    world.expectFound('cpv=03212210', {
      holds: ['03212210', '03212211', '03212213'].map(cpv),
      lacks: [cpv('03212220')],
    }),
  )
  assertion('C60', '30192120, itself no official code, matches the codes below it', () =>
    world.expectFound('cpv=30192120', { holds: ['30192121', '30192126'].map(cpv), lacks: [cpv('30000000')] }),
  )
  assertion('C61', 'a child filter does not match the parent', () =>
    world.expectFound('cpv=45211100', { lacks: [cpv('45211000')] }),
  )
  assertion('C62', 'a code only in a lot counts', () => world.expectFound('cpv=45211000', { holds: ['cpv-in-lot'] }))
  assertion('C63', 'several codes are OR', () =>
    world.expectFound('cpv=45211200,31000000', { holds: ['45211200', '31000000'].map(cpv), lacks: [cpv('39000000')] }),
  )
  assertion('C65', 'a region matches itself', () =>
    world.expectFound('nuts=DE212', { holds: ['nuts-DE212'], lacks: ['nuts-DE21', 'nuts-DE22'] }),
  )
  assertion('C66', 'DE2 matches DE21 and DE212', () =>
    world.expectFound('nuts=DE2', { holds: ['nuts-DE2', 'nuts-DE21', 'nuts-DE212', 'nuts-DE22'], lacks: ['nuts-DE'] }),
  )
  assertion('C67', 'DE21 does not match a record of DE2', () =>
    world.expectFound('nuts=DE21', { holds: ['nuts-DE21', 'nuts-DE212'], lacks: ['nuts-DE2'] }),
  )
  assertion('C68', 'DE1 never matches DE2', () =>
    world.expectFound('nuts=DE1', { holds: ['nuts-DE1'], lacks: ['nuts-DE2', 'nuts-DE21', 'nuts-DE212'] }),
  )
  assertion('C69', 'several regions are OR', () =>
    world.expectFound('nuts=DE1,FR', { holds: ['nuts-DE1', 'nuts-FR1'], lacks: ['nuts-DE2'] }),
  )
  assertion('C71', 'a place without a region code stays excluded', async () => {
    await world.expectFound('nuts=DE', { lacks: ['nuts-city-only', 'nuts-none'] })
    expect((await world.record('nuts-city-only')).realizedLocation).toMatchObject({ country: 'DE', city: 'Fixtureton' })
  })
  assertion('C72', 'published_since is inclusive to the millisecond', async () => {
    const midnight = `${world.times.published}T00:00:00`
    await world.expectFound(`published_since=${midnight}.000Z`, { holds: ['value-none'], lacks: ['published-before'] })
    await world.expectFound(`published_since=${midnight}.001Z`, { lacks: ['value-none', 'published-before'] })
  })
  assertion('C73', 'it refers to publication, not to lastModified', async () => {
    const record = await world.record('published-before')
    expect(record.publicationDate).toBe(`${world.times.dayBefore}T00:00:00.000Z`)
    expect(record.lastModified > `${world.times.published}T00:00:00.000Z`).toBe(true)
    await world.expectFound(`published_since=${world.times.published}T00:00:00Z`, { lacks: ['published-before'] })
  })
  assertion('C74', 'without a publication time a record is excluded', async () => {
    expect((await world.record('published-never')).publicationDate).toBeUndefined()
    await world.expectFound('published_since=1970-01-01T00:00:00Z&archived=true', {
      lacks: ['published-never'],
      holds: ['old'],
    })
  })
  assertion('C78', 'deadline_after is strict', async () => {
    const at = Date.parse(world.times.deadline)
    expect((await world.record('value-none')).submissionDate).toBe(world.times.deadline)
    await world.expectFound(`deadline_after=${world.times.deadline}`, { lacks: ['value-none'] })
    await world.expectFound(`deadline_after=${new Date(at - 1).toISOString()}`, { holds: ['value-none'] })
  })
  assertion('C79', 'it refers to submission, not participation', () =>
    world.expectFound('deadline_after=2020-01-01T00:00:00Z&archived=true', {
      holds: ['value-none', 'old'],
      lacks: ['deadline-participation-only'],
    }),
  )
  assertion('C80', 'without a deadline a record is excluded', () =>
    world.expectFound('deadline_after=2020-01-01T00:00:00Z', { lacks: ['deadline-none'] }),
  )
  assertion('C81', 'value_min is inclusive', () =>
    world.expectFound('value_min=100000', { holds: ['value-100000', 'value-100000.50'], lacks: ['value-99999.99'] }),
  )
  assertion('C82', 'value_max is inclusive', () =>
    world.expectFound('value_max=100000', { holds: ['value-100000', 'value-99999.99'], lacks: ['value-100000.50'] }),
  )
  assertion('C84', 'other currencies drop out, unconverted', () =>
    world.expectFound('value_min=0', { holds: ['value-100000'], lacks: ['value-sek'] }),
  )
  assertion('C85', 'no value drops out', () => world.expectFound('value_max=999999999', { lacks: ['value-none'] }))
  assertion('C86', 'the contract says that values are euros without VAT', async () => {
    const contract = (await world.request('/openapi.json')).json() as {
      paths: { '/v1/tenders': { get: { parameters: { name: string; description: string }[] } } }
    }
    for (const name of ['value_min', 'value_max']) {
      const described = contract.paths['/v1/tenders'].get.parameters.find(
        (parameter) => parameter.name === name,
      )!.description
      expect(described).toMatch(/euro/i)
      expect(described).toMatch(/VAT/)
    }
  })
  assertion('C87', 'procedure matches exactly', async () => {
    for (const type of [
      'open',
      'restricted',
      'neg-w-call',
      'neg-wo-call',
      'comp-dial',
      'comp-tend',
      'innovation',
      'oth-single',
      'oth-mult',
      'exp-int-rail',
    ])
      expect((await world.found(`procedure=${type}`)).filter((name) => name.startsWith('procedure-'))).toEqual([
        `procedure-${type}`,
      ])
  })
  assertion('C88', 'several procedures are OR', () =>
    world.expectFound('procedure=open,innovation', {
      holds: ['procedure-open', 'procedure-innovation'],
      lacks: ['procedure-restricted'],
    }),
  )
  assertion('C89', 'no procedure type is excluded; unknown codes are reported', async () => {
    await world.expectFound(
      'procedure=open,restricted,neg-w-call,neg-wo-call,comp-dial,comp-tend,innovation,oth-single,oth-mult,exp-int-rail',
      { lacks: ['procedure-none'] },
    )
    await world.expectProblem(await world.request('/v1/tenders?procedure=closed'), 400, 'invalid-parameter')
  })
}

/** C94 to C99 on the service; test/model checks them with thousands of random queries. */
export function combinationAssertions(world: World): void {
  const filters = [
    'cpv=45000000,98000000',
    'nuts=DE',
    `published_since=2022-06-01T00:00:00Z`,
    'deadline_after=2026-01-01T00:00:00Z',
    'value_min=1000',
    'procedure=open,restricted',
  ]
  const ids = async (query: string): Promise<string[]> => (await world.list(query)).map(({ id }) => id)

  assertion('C94', 'different filters are AND', async () => {
    for (const one of filters)
      for (const other of filters) {
        if (one === other) continue
        const [a, b] = [await ids(`${one}&archived=true`), new Set(await ids(`${other}&archived=true`))]
        expect(await ids(`${one}&${other}&archived=true`)).toEqual(a.filter((id) => b.has(id)))
      }
  })
  assertion('C95', 'a further filter never enlarges the set', async () => {
    let query = 'archived=true'
    let before = new Set(await ids(query))
    for (const filter of filters) {
      query += `&${filter}`
      const now = await ids(query)
      expect(now.filter((id) => !before.has(id))).toEqual([])
      before = new Set(now)
    }
  })
  assertion('C96', 'a further value in a list never shrinks it', async () => {
    const codes = ['45211100', '31000000', '98000000', '03212210']
    for (let count = 1; count < codes.length; count++) {
      const more = new Set(await ids(`cpv=${codes.slice(0, count + 1).join(',')}`))
      expect((await ids(`cpv=${codes.slice(0, count).join(',')}`)).filter((id) => !more.has(id))).toEqual([])
    }
  })
  assertion('C97', 'a filter on a field excludes records that lack it', async () => {
    for (const record of await world.list('deadline_after=1971-01-01T00:00:00Z&archived=true'))
      expect(record.submissionDate).toBeDefined()
    for (const record of await world.list('published_since=1971-01-01T00:00:00Z&archived=true'))
      expect(record.publicationDate).toBeDefined()
    for (const record of await world.list('value_min=0&archived=true'))
      expect(record.contractAmount?.currency).toBe('EUR')
    for (const record of await world.list('procedure=open&archived=true')) expect(record.procedureType).toBe('open')
  })
  assertion('C98', 'the order of parameters and list items does not matter', async () => {
    expect(await ids('nuts=DE2,FR1&cpv=45000000,31000000')).toEqual(await ids('cpv=31000000,45000000&nuts=FR1,DE2'))
    expect(await ids('cpv=45000000&cpv=31000000')).toEqual(await ids('cpv=31000000,45000000'))
    const { nextCursor } = await world.page('cpv=98000000,45000000&limit=5')
    expect((await world.request(`/v1/tenders?limit=7&cpv=45000000,98000000&cursor=${nextCursor}`)).status).toBe(200)
  })
  assertion('C99', 'limits of 1 to 100 give the same sequence', async () => {
    const all = await ids('cpv=98000000')
    for (const limit of [1, 2, 3, 10, 33, 64, 99, 100])
      expect((await world.list('cpv=98000000', limit)).map(({ id }) => id)).toEqual(all)
  })
}
