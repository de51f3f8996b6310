// The open data of the procurement service of Ecuador.
import { minuteMs } from '../../families/card-values.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

const platform = 'https://datosabiertos.compraspublicas.gob.ec/PLATAFORMA'

export const source = sourceOf({
  id: 'ec-sercop',
  title: 'Datos abiertos de contratación pública',
  publisher: 'Servicio Nacional de Contratación Pública (SERCOP)',
  homepage: `${platform}/datos-abiertos`,
  documentation: `${platform}/datos-abiertos/api`,
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/080ce0317ad65f96559f384b9a371eff90dec4bf/kingfisher_scrapy/spiders/ecuador_sercop_bulk.py',
    'https://github.com/OAOCH/oicp/blob/029944b95e42611fc2e6166afc0de6955a9d61a0/server/bulk-sercop.ts',
    'https://github.com/Henrry-Lojan/Procesos_SERCOP/blob/24f9ddbb0a4456b27ee2c4fc529a9a3d8e754086/sercop_client.py',
    'https://github.com/luisalfredorojas/licitaEC/blob/ee04c00756c9bc90c9cb81ad8882cdb43d982d38/src/lib/sercop-client.ts',
  ],
  unnamedClients: 5,
  recordings: [
    'https://github.com/OAOCH/oicp/blob/44b1786e0e854e7767729f9d6b78ecdb2c5a589e/server/fixtures/ocds-5wno2w-SIE-HOALO-2025-003-141697.json',
  ],
  license: { name: 'CC BY 3.0 EC', url: 'https://creativecommons.org/licenses/by/3.0/ec/' },
  channels: [
    {
      name: 'months',
      slots: { kind: 'month', since: '2015-01-01', rereadDays: [3, 15, 45], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: { url: `${platform}/download?type=json&year={from:yyyy}&month={from:MM}&method=all` },
        // One file, which is a list of release packages.
        entries: {
          format: 'archive',
          members: /\.json$/i,
          inside: { format: 'json', at: '/*/releases', isOptional: true },
        },
        notFound: 'notYet',
      },
      timetable: '35 5,17 * * *',
    },
    {
      name: 'processes',
      role: 'spare',
      slots: { kind: 'year', since: '2015-01-01', isOpenRead: true },
      delivery: {
        kind: 'page',
        request: { url: `${platform}/api/search_ocds?year={from:yyyy}&search=&page={page}` },
        entries: { format: 'json', at: '/data' },
        pageSize: 10,
        end: { when: 'pages', at: '/pages' },
        detail: {
          request: { url: `${platform}/api/record?ocid={id}` },
          id: '/ocid',
          version: '',
          entries: releases,
        },
      },
      timetable: '10 7 * * 0',
    },
  ],
  politeness: { requestsPerMinute: 10, pauseMs: 3_000, restMs: minuteMs },
  expects: { silentAfterDays: 10, shape: ['/ocid', '/date'] },
  caveats: [
    'The host times out from many countries; it is known to answer Chile, Colombia, Ecuador, Mexico, Paraguay and the USA.',
    'In the first days of a month its file is not there yet and the answer is 500; the file lags behind the list by hours.',
    'The file of a month has 3 to 20 MB; a client saw the host slow down to 1 to 20 KB a second in September 2026.',
    'A month holds what changed in it: half of the releases have only awards and contracts, and are notices of their own.',
    'The list answers ten processes a page and 429 often: its 60 requests a minute are shared by all of its clients.',
    'The title is the number of the process and the subject is in the description; items are classified by CPC, not CPV.',
    'Most processes lack the end of `tenderPeriod`; that of `enquiryPeriod` is the deadline for questions.',
  ],
})
