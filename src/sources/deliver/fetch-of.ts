// How a delivery, which is data, is read: one way of walking for each kind.
import type { Delivery, Each, List, Template } from '../delivery.ts'
import type { Fetch } from '../fetch.ts'
import { byCursor } from './by-cursor.ts'
import { byKey } from './by-key.ts'
import { byLink } from './by-link.ts'
import { byOffset } from './by-offset.ts'
import { byPage } from './by-page.ts'
import { eachOf } from './each-values.ts'
import { checkTemplate, dateNames, finenessOf } from './fill-template.ts'
import { indexList } from './index-list.ts'
import type { Pager } from './pager.ts'
import { walkList } from './walk-list.ts'

/** One answer holds everything: a window of dates, a dump, a file. */
const single: Pager = { pointers: [], values: () => ({}), next: () => undefined, again: () => undefined }

const always = [...dateNames, 'key', 'token']

/**
 * The fetch of a delivery. Throws an Error if the card is contradictory: an unknown placeholder, links of HTML pages
 * that nothing follows, a `most` in a request without dates.
 */
export function fetchOf(delivery: Delivery): Fetch {
  switch (delivery.kind) {
    case 'own':
      return delivery.fetch
    case 'single':
      return listFetch(delivery, single, [], {
        isSingle: true,
        ...(delivery.notFound && { notFound: delivery.notFound }),
      })
    case 'link-next':
      return listFetch(delivery, byLink(delivery), [])
    case 'page':
      return listFetch(delivery, byPage(delivery), ['page', 'offset', 'limit'])
    case 'offset':
      return listFetch(delivery, byOffset(delivery), ['page', 'offset', 'limit'])
    case 'cursor':
      return listFetch(delivery, byCursor(delivery), ['cursor', 'limit'])
    case 'keyset':
      return listFetch(delivery, byKey(delivery), ['cursor', 'limit'])
    case 'index': {
      const list = indexList(delivery)
      return listFetch(list, single, [], list)
    }
  }
}

type Extras = Pick<Parameters<typeof walkList>[0], 'isSingle' | 'notFound'>

function listFetch(list: List, pager: Pager, names: readonly string[], extras: Extras = {}): Fetch {
  const each = eachOf(list.each)
  const own = new Set([...always, ...names, ...each.map(({ name }) => name)])
  checkTemplate(list.request, own)
  for (const one of each) checkEach(one)
  if (list.token) checkTemplate(list.token.request, new Set(['key']))
  if (list.detail) checkTemplate(list.detail.request, new Set([...own, 'id', 'id2']))
  if (list.entries.format === 'html' && !list.detail)
    throw new Error(`nothing follows the links of ${list.request.url}`)
  if (list.detail?.withEntry && list.entries.format !== 'json' && list.entries.format !== 'json-lines')
    throw new Error(`the entries of ${list.request.url} are no JSON and cannot be joined to their details`)
  if (list.most !== undefined && finenessOf(list.request) === undefined)
    throw new Error(`no dates in ${list.request.url}, so that it cannot be asked for less than ${list.most}`)
  checkAddress(list.request)
  return walkList({ ...list, ...extras, pager })
}

function checkEach(each: Each): void {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(each.name)) throw new Error(`no name of a placeholder: ${each.name}`)
  if ('list' in each) checkTemplate(each.list, new Set([...always, 'page']))
  else if (each.values.length === 0) throw new Error(`no values of {${each.name}}`)
}

function checkAddress({ url }: Template): void {
  if (!/^https?:\/\/[^/{}]+\//.test(`${url}/`)) throw new Error(`no address of a host: ${url}`)
}
