// Contracts that Taiwan's Agency Against Corruption publishes.
import { licenceNotStated } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'tw-agency-against-corruption',
  title: 'Government procurement integrity platform',
  publisher: 'Agency Against Corruption, Ministry of Justice',
  country: 'TW',
  homepage: 'https://gpip.aac.moj.gov.tw/cht/index.php?code=list&ids=6',
  licence: licenceNotStated,
  zone: 'Asia/Taipei',
  channels: [
    {
      name: 'files',
      slots: { kind: 'whole' },
      delivery: {
        kind: 'page',
        request: { url: 'https://gpip.aac.moj.gov.tw/cht/index.php?code=list&ids=6&page={page}' },
        entries: { format: 'html', link: /<a(?=[^>]*\btitle="[^"]*OCDS)[^>]*\bhref="([^"]+)"/i },
        firstPage: 1,
        pageSize: 10,
        end: { when: 'empty-page' },
        detail: { request: { url: '{id}' }, id: '/0', entries: releases },
      },
      timetable: '55 2 * * *',
    },
  ],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 200, shape: ['html'] },
  caveats: [
    'The end of the list is a page without links to OCDS.',
    'The list has no dates: every file is fetched once.',
  ],
}
