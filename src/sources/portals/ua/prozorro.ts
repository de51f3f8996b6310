// ProZorro, the central database of Ukraine's procurement, by its change feed and in its OCDS rendering.

import type { Detail } from '../../delivery.ts'
import { browserLike } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'
import { parseProzorro } from './parse-prozorro.ts'

const feed = 'https://public-api.prozorro.gov.ua/api/2.5/tenders'

const request = { url: `${feed}?descending=1&limit=100` }
const entries = { format: 'json', at: '/data' } as const
const detail: Detail = {
  request: { url: `${feed}/{id}?opt_schema=ocds` },
  id: '/id',
  version: '/dateModified',
  entries: releases,
}

export const source = sourceOf({
  id: 'ua-prozorro',
  title: 'ProZorro',
  publisher: 'State Enterprise ProZorro',
  homepage: 'https://prozorro.gov.ua',
  documentation: 'https://prozorro-api-docs.readthedocs.io/en/latest/',
  channels: [
    {
      name: 'changes',
      slots: { kind: 'feed' },
      // The newest entry says where new entries begin; from there the feed is read forward.
      delivery: { kind: 'link-next', request, entries, detail, next: '/next_page/uri', firstNext: '/prev_page/uri' },
    },
    {
      name: 'history',
      role: 'backfill',
      slots: { kind: 'feed' },
      delivery: { kind: 'link-next', request, entries, detail, next: '/next_page/uri' },
    },
  ],
  parse: parseProzorro,
  politeness: { ...browserLike, requestsPerMinute: 600, connections: 2 },
  expects: { silentAfterDays: 2, shape: ['/data/0/id', '/data/0/dateModified', '/next_page/uri', '/prev_page/uri'] },
  caveats: [
    'An empty page means that the reader has caught up; its own next page is requested again.',
    'The offset is a timestamp, a count and a hash of ids, so that entries of one instant are neither lost nor repeated.',
    'A slow write can appear some milliseconds behind a reader; the portal hides its newest second against that.',
    'Plain user agents are answered with 412.',
    'About 140 requests a second are allowed; we send ten.',
  ],
})
