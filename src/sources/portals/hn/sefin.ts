// Contracts of Honduras' ministry of finance.
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'hn-sefin',
  title: 'SEFIN, EDCA',
  publisher: 'Secretaría de Finanzas de Honduras',
  homepage: 'https://www.sefin.gob.hn/edca/',
  documentation: 'https://guancasco.sefin.gob.hn/EDCA_WEBAPI/swagger/ui/index',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/honduras_sefin_api.py',
    'https://github.com/vlasvlasvlas/ocds_get_data/blob/8e921d5621e7b88067a902d8290795022b7eecc1/hnd_get_sefin_contratos.py',
  ],
  channels: [
    {
      name: 'processes',
      slots: { kind: 'year', since: '2019-01-01', rereadDays: [15, 60], isOpenRead: true },
      delivery: {
        kind: 'single',
        request: { url: 'https://guancasco.sefin.gob.hn/EDCA_WEBAPI/api/listaOcids/{from:yyyy}' },
        entries: { format: 'json', at: '' },
        detail: { request: { url: '{id}' }, id: '', entries: releases },
      },
      timetable: '35 5 * * *',
    },
    {
      name: 'years',
      role: 'backfill',
      slots: { kind: 'year', since: '2012-01-01', rereadDays: [30] },
      delivery: {
        kind: 'single',
        request: { url: 'https://piep.sefin.gob.hn/edca/ocid_sefin_{from:yyyy}.zip' },
        // Every line is a package.
        entries: { format: 'archive', inside: { format: 'json-lines' } },
        notFound: 'empty',
      },
      timetable: '35 8 * * 0',
    },
  ],
  politeness: { requestsPerMinute: 30 },
  expects: { silentAfterDays: 45, shape: ['/0'] },
  caveats: [
    'The list of 2012 to 2018 is answered with 500; those years come from the archives.',
    'The list has no dates: a process is read once there, and again in the archive of its year.',
    'One of the two clients reads the archives only.',
  ],
})
