// Contracts that Taiwan's Agency Against Corruption publishes.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'tw-agency-against-corruption',
  title: 'Government procurement integrity platform',
  publisher: 'Agency Against Corruption, Ministry of Justice',
  homepage: 'https://gpip.aac.moj.gov.tw/cht/index.php?code=list&ids=6',
  clients: ['https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/taiwan_aac.py'],
  channels: [
    {
      name: 'files',
      delivery: {
        kind: 'page',
        request: { url: 'https://gpip.aac.moj.gov.tw/cht/index.php?code=list&ids=6&page={page}' },
        entries: {
          format: 'html',
          link: /<a(?=[^>]*\btitle="[^"]*OCDS)[^>]*\bhref="([^"]+)"/i,
          sample: '<a title="OCDS" href="{key}">',
        },
        pageSize: 10,
        end: { when: 'empty-page' },
        detail: { request: { url: '{id}' }, id: '/0', entries: releases },
      },
      timetable: '55 2 * * *',
    },
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 200, shape: ['html'] },
  caveats: [
    'The end of the list is a page without links to OCDS.',
    'The list has no dates: every file is fetched once.',
    'No public repository is known to keep an answer.',
    'The OCP Data Registry has a copy, publication 160, which no other public program is known to read: 154 tenders, without parties and items.',
  ],
  offBecause: 'one public program alone is known to read it: check it, then name it',
})
