// Contracts Finder: notices of England below the thresholds.
import { minuteMs, openGovernmentLicence } from '../../families/card-values.ts'
import { records, releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const search =
  'https://www.contractsfinder.service.gov.uk/Published/Notices/OCDS/Search?limit=100&publishedFrom={from:yyyy-MM-dd}&publishedTo={to:yyyy-MM-dd}'

export const source = sourceOf({
  id: 'gb-contracts-finder',
  title: 'Contracts Finder',
  publisher: 'Cabinet Office',
  homepage: 'https://www.contractsfinder.service.gov.uk',
  documentation: 'https://www.contractsfinder.service.gov.uk/apidocumentation/home',
  license: openGovernmentLicence,
  channels: [
    {
      name: 'releases',
      slots: { kind: 'day', since: '2014-01-01', delayMs: 60 * minuteMs, rereadDays: [1, 7], isOpenRead: true },
      delivery: { kind: 'link-next', request: { url: search }, entries: releases, next: '/links/next' },
    },
    {
      name: 'records',
      role: 'spare',
      slots: { kind: 'day', since: '2014-01-01', delayMs: 60 * minuteMs },
      delivery: {
        kind: 'link-next',
        request: { url: search },
        entries: releases,
        next: '/links/next',
        detail: {
          request: { url: 'https://www.contractsfinder.service.gov.uk/Published/OCDS/Record/{id}' },
          id: '/ocid',
          version: '/date',
          entries: records,
        },
      },
    },
  ],
  politeness: { requestsPerMinute: 12, pauseMs: 2000, restMs: 5 * minuteMs },
  expects: { silentAfterDays: 4, shape: ['/releases/0/ocid', '/releases/0/tag'] },
  caveats: [
    'Too many requests are answered with 403, sometimes 429; the portal asks for a rest of five minutes.',
    'Windows of more than about 15 days fail; single days are requested.',
    'The search shows the newest release of a process; earlier ones are only in its record (channel `records`).',
    'Some texts are in Windows-1252 although the answer says UTF-8.',
  ],
})
