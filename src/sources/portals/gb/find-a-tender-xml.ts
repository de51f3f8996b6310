// Find a Tender as daily archives of XML on the open data portal of the United Kingdom.
import { openGovernmentLicence } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'gb-find-a-tender-xml',
  title: 'Find a Tender (XML archives)',
  publisher: 'Crown Commercial Service',
  homepage: 'https://www.data.gov.uk/search?q=%22UK+Public+Procurement+Notices%22',
  documentation: 'https://www.find-tender.service.gov.uk/Developer/Documentation',
  clients: [
    'https://github.com/qmanhbeo/uk-procurement-data-pipeline/blob/6b30963e50fcdba1716219ec9483e826720e104a/2b_extract_find_a_tender_XMLs.py',
  ],
  unnamedClients: 1,
  license: openGovernmentLicence,
  channels: [
    {
      name: 'days',
      timetable: '30 6 * * *',
      delivery: {
        kind: 'index',
        index: {
          url: 'https://ckan.publishing.service.gov.uk/api/action/package_search?q=uk-public-procurement-notices&rows=200',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/result/results/*/resources/*' },
        url: '/url',
        version: '/last_modified',
        only: /\.zip(?:$|\?)/i,
        files: { format: 'archive', members: /\.xml$/i },
      },
    },
  ],
  politeness: { requestsPerMinute: 12, pauseMs: 2000 },
  expects: {
    silentAfterDays: 45,
    shape: ['/result/results/0/name', '/result/results/0/resources/0/url'],
  },
  caveats: [
    'One data set per month (uk-public-procurement-notices-june-2026), one archive per day, one file per notice.',
    'Up to February 2025 the files follow TED_EXPORT in a version of the United Kingdom (R2.0.9.UK1). Both ' +
      'clients read its parts in the namespaces of the EU and of the United Kingdom; neither names the root.',
    'The forms of the Procurement Act since then (UK1_2023 to UK16_2023: OCDS as XML) have another root. They are not read, and rejected as an unknown format.',
    'The named client finds the same archives on the pages of data.gov.uk, the unnamed one through this interface.',
  ],
  offBecause: 'the same notices as gb-find-a-tender; name it to fill what its interface lost',
})
