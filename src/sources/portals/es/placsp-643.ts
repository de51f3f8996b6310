// Spain: PLACSP, the syndication of the buyers that publish on the state's platform.
import type { Source } from '../../source.ts'
import { placspReader } from './parse-placsp.ts'
import { writePlacsp } from './write-placsp.ts'

const folder = 'https://contrataciondelsectorpublico.gob.es/sindicacion/sindicacion_643'
const entries = { format: 'xml', element: 'entry', root: 'feed' } as const

export const source: Source = {
  id: 'es-placsp-643',
  title: 'Plataforma de Contratación del Sector Público (sindicación 643)',
  publisher: 'Dirección General del Patrimonio del Estado, Ministerio de Hacienda',
  country: 'ES',
  homepage: 'https://contrataciondelsectorpublico.gob.es',
  documentation: 'https://contrataciondelsectorpublico.gob.es/wps/portal/DatosAbiertos',
  licence: {
    name: 'Reuse of public sector information (Ley 37/2007), attribution',
    attribution: 'Plataforma de Contratación del Sector Público',
  },
  zone: 'Europe/Madrid',
  channels: [
    {
      name: 'newest',
      slots: { kind: 'whole' },
      timetable: '5 */2 * * *',
      delivery: {
        kind: 'link-next',
        request: { url: `${folder}/licitacionesPerfilesContratanteCompleto3.atom` },
        entries,
        next: 'link[next]',
        ordered: { at: 'updated', direction: 'descending', days: 1 },
      },
    },
    {
      name: 'months',
      slots: { kind: 'month', since: '2022-01-01', rereadDays: [3, 20], isOpenRead: true },
      timetable: '17 4 * * *',
      delivery: {
        kind: 'single',
        request: { url: `${folder}/licitacionesPerfilesContratanteCompleto3_{from:yyyyMM}.zip` },
        entries: { format: 'archive', members: /\w+\.atom$/, inside: entries },
        notFound: 'notYet',
      },
    },
  ],
  parse: placspReader('es-placsp-643'),
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20, pauseMs: 2_000 },
  expects: {
    perDay: [200, 3_000],
    silentAfterDays: 5,
    shape: ['feed', 'entry', 'updated', 'ContractFolderStatus', 'ContractFolderStatusCode'],
  },
  caveats: [
    'robots.txt disallows the whole host although the feeds are published for reuse; ask the platform before running it.',
    'A page of the feed holds some 260 entries, newest first; pages are followed a day back, and the zips of the months, read again daily, fill what was missed.',
    'The feed gives states of contract folders, not notices: every state of a folder becomes a notice of its own.',
    'Deleted entries (tombstones) stand outside of the entries and are not read: the feed does not say why they left.',
    'EstimatedOverallContractAmount includes extensions; amounts without tax are read, those with tax are not.',
    'The shape was seen in made-up samples and in code of users; real entries were not available.',
  ],
  offBecause: 'robots',
  writeSample: writePlacsp,
}
