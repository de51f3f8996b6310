// The catalog and the direct contracts of Honduras' procurement office, as yearly files.
import { releases, zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const files = 'https://datosabiertos.oncae.gob.hn/datosabiertos'

export const source = sourceOf({
  id: 'hn-oncae',
  title: 'ONCAE, datos abiertos',
  publisher: 'Oficina Normativa de Contratación y Adquisiciones del Estado',
  homepage: 'https://oncae.gob.hn/datosabiertos',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/honduras_oncae.py',
    'https://github.com/gabe317-hue/sentinel-ai-dashboard/blob/72b675611a6f0c6bf1c164863eefedc753c92e0c/scripts/oncae-workaround/ingest_oncae.py',
  ],
  channels: [
    {
      name: 'honducompras',
      slots: { kind: 'year', since: '2005-01-01', rereadDays: [15, 60], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: { url: `${files}/HC1/HC1_datos_{from:yyyy}.json` },
        entries: releases,
        notFound: 'empty',
      },
      timetable: '10 6 * * 6',
    },
    {
      name: 'catalogue',
      slots: { kind: 'year', since: '2010-01-01', rereadDays: [15, 60], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: { url: `${files}/{system}/{system}_datos_{from:yyyy}_json.zip` },
        entries: zippedReleases,
        each: { name: 'system', values: ['CE', 'DDC'] },
        notFound: 'empty',
      },
      timetable: '40 6 * * 6',
    },
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 120, shape: ['/releases/0/ocid'] },
  caveats: [
    'The certificate of the host expired in the summer of 2026, say two public programs: it cannot be read until it is renewed.',
    'HC1 begins with 2005, CE with 2014; DDC has 2010 to 2019.',
    'The same releases come through hn-contrataciones-abiertas; whichever comes second is known already.',
  ],
})
