// TED, the Supplement to the Official Journal of the European Union: packages by day and month, the search as a check.
import { dayMs } from '../../domain/time.ts'
import { sourceOf } from '../source.ts'
import { fetchControl } from './fetch-control.ts'
import { fetchDaily, fetchMonthly } from './fetch-packages.ts'

/** Backfill starts here; TED has packages since 1993, in XML since 2011. */
const floor = '2022-01-01'

export const source = sourceOf({
  id: 'ted',
  title: 'TED (Tenders Electronic Daily)',
  publisher: 'Publications Office of the European Union',
  country: 'EU',
  homepage: 'https://ted.europa.eu/',
  documentation: 'https://docs.ted.europa.eu/',
  license: {
    name: 'Commission Decision 2011/833/EU; editorial content of the site CC BY 4.0, metadata CC0',
    url: 'https://ted.europa.eu/en/legal-notice',
    attribution: '© European Union, https://ted.europa.eu',
  },
  zone: 'Europe/Brussels',
  leads: true,
  channels: [
    {
      name: 'daily',
      // The package of a day is published on the same day.
      slots: { kind: 'day', since: floor, isOpenRead: true, rereadDays: [1] },
      delivery: { kind: 'own', fetch: fetchDaily },
      timetable: '10,40 8-11,14,18,22 * * *',
    },
    {
      name: 'search',
      slots: { kind: 'day', since: floor, isOpenRead: true, rereadDays: [1, 7] },
      delivery: { kind: 'own', fetch: fetchControl },
      timetable: '25 8-12,16,20 * * *',
      role: 'control',
    },
    {
      name: 'monthly',
      // The fifth working day is never before the fifth of the month.
      slots: { kind: 'month', since: floor, delayMs: 4 * dayMs },
      delivery: { kind: 'own', fetch: fetchMonthly },
      role: 'backfill',
    },
  ],
  politeness: {
    // Allowed are 700 requests a minute, but only 600 views of notices in six minutes: the lower limit is used for all.
    requestsPerMinute: 100,
    connections: 3,
    robots: { exempt: 'packages, notices as XML and the Search API are published for reuse, with limits of their own' },
    userAgent: 'Mozilla/5.0 (compatible; Tenderstock; +{contact})',
  },
  expects: {
    perDay: [1500, 5000],
    silentAfterDays: 10,
    // Of 407 calls as eForms 0.97, 1, 1 and 0.71.
    fill: { deadline: 0.9, cpv: 0.95, authority: 0.95, region: 0.6 },
    // Of the first notice in a package.
    shape: ['CustomizationID', 'NoticeTypeCode', 'NoticePublicationID', 'GazetteID'],
  },
  caveats: [
    'Issues come out Monday to Friday except holidays of the Publications Office; which day has one is read ' +
      'from the release calendar, and only the calendar makes a day empty.',
    'The package of a day is written from 00:01 and final at 09:30 Brussels time; a package read earlier ' +
      'counts only when it holds as many notices as the search announces.',
    'The firewall answers some clients with an empty 202; this counts as a refusal, never as an empty day.',
    'Packages have neither ETag nor checksum; a package that breaks off is fetched again from its start, and ' +
      'notices already stored are skipped by their number.',
    'Answers of the Search API are counts and publication numbers here, never notices: their lists per lot ' +
      "are of different lengths and the notice's XML holds everything.",
    'The search index covers the last ten years; it has no counts for days before that.',
    'Packages of 2022 to mid 2024 hold TED_EXPORT and eForms side by side; each notice tells its own format.',
    'A planning notice has no procedure id (BT-04), and changed notices say in four of ten cases only that something changed.',
  ],
})
