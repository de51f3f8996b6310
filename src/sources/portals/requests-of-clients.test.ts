// Requests that public clients were found to send otherwise than a card did: the card asks as they do.
import { expect, test } from 'vitest'
import { fillTemplate } from '../deliver/fill-template.ts'
import type { Delivery } from '../delivery.ts'
import { loadSources } from '../registry.ts'

const sources = await loadSources()
const day = { from: Date.parse('2026-11-23T23:00:00Z'), last: Date.parse('2026-11-24T22:59:59Z') }

function requestsOf(id: string): { readonly request: string; readonly token?: string }[] {
  const source = sources.get(id)
  if (!source) throw new Error(`no source ${id}`)
  const read = source.channels.filter(({ role }) => role !== 'spare')
  return read.map(({ delivery }) => {
    const { request, token } = delivery as Extract<Delivery, { kind: 'page' }>
    const values = { ...day, page: 1, offset: 0, limit: 100, token: 'T', key: 'K' }
    const { url } = fillTemplate(request, values, source.zone)
    return { request: url, ...(token && { token: fillTemplate(token.request, values, source.zone).url }) }
  })
}

test('Belgium: a registered client asks the gateway, not the website', () => {
  const gateway = 'https://public.pr.fedservices.be/api'
  const days = 'dispatchDateFrom=2026-11-24&dispatchDateTo=2026-11-24'
  expect(requestsOf('be-bosa')).toEqual([
    {
      request: `${gateway}/eProcurementSea/v1/search/publications?${days}&page=1&pageSize=100`,
      token: `${gateway}/oauth2/token`,
    },
  ])
})

test('Austria: the address of the dump answers with a page whose link leads to it', () => {
  const { delivery } = sources.get('at-offenevergaben')!.channels[0]
  if (delivery.kind !== 'index' || delivery.entries.format !== 'html') throw new Error('no index')
  const link = 'https://offenevergaben.at/tmp/kerndaten_dailydump_202609010400_wnldvvr2.zip'
  expect(delivery.entries.link.exec(`<a rel="nofollow" class="btn" href="${link}">Download</a> ${link}`)?.[1]).toBe(
    link,
  )
})

test.each([';', ','])('Austria: rows of the dump with %s between the cells', (sign) => {
  const row = (...cells: string[]) => cells.map((cell) => `"${cell}"`).join(sign)
  const text = `id${sign}art${sign}titel${sign}auftraggeber\n${row('7', 'KD_8_1_Z2', 'Tische, Stühle; Regale', 'Stadt')}\n`
  expect(sources.get('at-offenevergaben')?.parse?.(Buffer.from(text))).toMatchObject([
    { notice: { noticeId: '7', title: { de: 'Tische, Stühle; Regale' } } },
  ])
})

test('Zaragoza: JSON is asked for, with the day that opens the processes which the list hides', () => {
  const { delivery } = sources.get('es-zaragoza')!.channels[0] as { delivery: Extract<Delivery, { kind: 'single' }> }
  expect(delivery.request).toMatchObject({ headers: { accept: 'application/json' } })
  expect(new URL(delivery.request.url).searchParams.get('after')).toBe('2030-01-01T00:00:00Z')
  expect(delivery.detail?.request).toMatchObject({ headers: { accept: 'application/json' } })
})

test('Korea: the lists of all five kinds of notice', () => {
  const { delivery } = sources.get('kr-g2b')!.channels[0] as { delivery: Extract<Delivery, { kind: 'page' }> }
  expect(delivery.each).toMatchObject({ values: expect.arrayContaining(['Etc', 'Frgcpt', 'Thng', 'Servc', 'Cnstwk']) })
})

test('Malta: months are asked of the portal itself, as a client read them there in August 2026', () => {
  const { delivery, slots } = sources.get('mt-epps')!.channels[0]
  if (delivery.kind !== 'own' || delivery.like?.kind !== 'single') throw new Error('not one answer')
  expect(fillTemplate(delivery.like.request, day, 'Europe/Malta').url).toBe(
    'https://www.etenders.gov.mt/ocds/services/recordpackage/getrecordpackage/2026/11',
  )
  expect(slots).toMatchObject({ kind: 'month', since: '2023-01-01' })
})

test('Bulgaria: the files of a day have the names that three clients request', () => {
  const [procedures, contracts] = requestsOf('bg-eop').map(({ request }) => decodeURIComponent(request))
  const folder = 'https://storage.eop.bg/open-data-2026-11-24'
  const name = (kind: string) => `Автоматично генерирани данни за ${kind}, публикувани в ЦАИС ЕОП на 24.11.2026.json`
  expect([procedures, contracts]).toEqual([`${folder}/${name('поръчки')}`, `${folder}/${name('договори')}`])
})

test('EKR: notices since the beginning of the span, in the one form of a date that is answered', () => {
  const { delivery } = sources.get('hu-ekr')!.channels[0]
  if (delivery.kind !== 'page') throw new Error('not by page')
  expect(fillTemplate(delivery.request, { ...day, page: 1, limit: 100 }, 'Europe/Budapest').url).toBe(
    'https://ekr.gov.hu/api/publikus/kozbeszerzesi-hirdetmenyek?oldal=1&elemszam=100&rendezes=hirdetmenyKozzetetelDatuma&novekvo=false&hirdetmenyKozzetetelDatumaKezdet=2026-11-23T23%3A00%3A00.000%2B0000',
  )
})

test('World Bank: no parameter that the search ignores', () => {
  expect(requestsOf('zz-world-bank')).toEqual([
    {
      request: 'https://search.worldbank.org/api/v2/procnotices?format=json&rows=100&os=0&srt=noticedate&order=desc',
    },
  ])
})

test('SAM.gov: the second page begins after the records of the first', () => {
  const { delivery } = sources.get('us-sam')!.channels[0]
  if (delivery.kind !== 'offset') throw new Error('not by offset')
  expect(fillTemplate(delivery.request, { ...day, offset: 1000, limit: 1000, key: 'K' }, 'America/New_York').url).toBe(
    'https://api.sam.gov/opportunities/v2/search?api_key=K&postedFrom=11%2F23%2F2026&postedTo=11%2F24%2F2026&limit=1000&offset=1000',
  )
})
