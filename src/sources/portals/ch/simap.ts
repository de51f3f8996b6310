// Switzerland: simap.ch, the platform of federation, cantons and communes.
import { sourceOf } from '../../source.ts'
import { parseSimap } from './parse-simap.ts'

export const source = sourceOf({
  id: 'ch-simap',
  title: 'simap.ch',
  publisher: 'Verein simap.ch',
  homepage: 'https://www.simap.ch',
  documentation: 'https://www.simap.ch/api/specifications/simap.yaml',
  license: { name: 'General terms of the simap API: reuse and redistribution permitted', url: 'https://www.simap.ch' },
  channels: [
    {
      name: 'publications',
      slots: { kind: 'day', since: '2024-07-01', delayMs: 8 * 3_600_000, rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        kind: 'cursor',
        request: {
          url: 'https://www.simap.ch/api/publications/v2/project/project-search?lang=de&newestPublicationFrom={from:yyyy-MM-dd}&newestPublicationUntil={last:yyyy-MM-dd}&lastItem={cursor}',
        },
        entries: { format: 'json', at: '/projects' },
        cursor: '/pagination/lastItem',
        dateOf: '/publicationDate',
        detail: {
          request: {
            url: 'https://www.simap.ch/api/publications/v1/project/{id}/publication-details/{id2}',
          },
          id: '/id',
          id2: '/publicationId',
          entries: { format: 'document' },
        },
      },
    },
  ],
  parse: parseSimap,
  politeness: { requestsPerMinute: 12, pauseMs: 4_000, restMs: 15 * 60_000 },
  expects: {
    perDay: [30, 600],
    silentAfterDays: 5,
    shape: ['/projects/0/id', '/projects/0/publicationId', '/projects/0/publicationDate', '/projects/0/title'],
  },
  caveats: [
    'Without a filter the search answers nothing; one user saw status 400 on newestPublicationFrom.',
    'A challenge by cookie comes after about 15 quick calls, hence the slow pace: deadline and CPV are only in the details.',
    'The search lists the newest publication of each project, so earlier publications of the same day are missing.',
    'Publications are under embargo until 08:00 in Zurich.',
    'Publications with publicationTed are in TED too; the two real samples had `ted` null, so its members are inferred.',
    'For selective procedures the deadline of the first step is read as the deadline for tenders.',
    'Members of lots were not seen in a real answer and are read according to the API description.',
  ],
})
