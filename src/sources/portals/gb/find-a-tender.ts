// Find a Tender: notices of the United Kingdom above the thresholds, since 2025 those of the Procurement Act too.
import { minuteMs, openGovernmentLicence } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const delayMs = 10 * minuteMs
/** Never by its cursor, which drops rows: a window is halved until one page is not full, and grows in quiet times. */
const delivery = {
  kind: 'single',
  request: {
    url: 'https://www.find-tender.service.gov.uk/api/1.0/ocdsReleasePackages?limit=100&updatedFrom={from:yyyy-MM-ddTHH:mm:ss}&updatedTo={to:yyyy-MM-ddTHH:mm:ss}',
  },
  entries: releases,
  most: 100,
} as const

export const source = sourceOf({
  id: 'gb-find-a-tender',
  title: 'Find a Tender',
  publisher: 'Cabinet Office',
  homepage: 'https://www.find-tender.service.gov.uk',
  documentation: 'https://www.find-tender.service.gov.uk/apidocumentation/1.0/GET-ocdsReleasePackages',
  license: openGovernmentLicence,
  channels: [
    {
      name: 'windows',
      slots: { kind: 'hours', hours: 6, since: '2021-01-02', delayMs, rereadDays: [1, 7], isOpenRead: true },
      delivery,
    },
    { name: 'past', role: 'backfill', slots: { kind: 'month', since: '2021-01-01', delayMs }, delivery },
  ],
  // It answered 429 "Rate limit of 12" per 120 seconds, and says nothing of it beforehand.
  politeness: { requestsPerMinute: 6, pauseMs: 10_000, restMs: 2 * minuteMs },
  expects: {
    perDay: [20, 1500],
    silentAfterDays: 4,
    shape: ['/releases/0/ocid', '/releases/0/date', '/releases/0/tag'],
  },
  caveats: [
    'Walking the cursor loses rows (about 10,100 of 14,093 releases in one comparison), so windows are halved instead.',
    'Windows are in local time of the United Kingdom; in the hour that autumn repeats, a halved window may be empty.',
    'Unknown parameters are answered with 400.',
    'Numbers such as 1e9999 occur and are read as no number.',
    'Notices of both this portal and Contracts Finder overlap.',
  ],
})
