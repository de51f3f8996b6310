// Spain: PLACSP, the syndication of 17 regional platforms that the state's platform gathers.
import type { Source } from '../../source.ts'
import { placspReader } from './parse-placsp.ts'
import { writePlacsp } from './write-placsp.ts'

const folder = 'https://contrataciondelsectorpublico.gob.es/sindicacion/sindicacion_1044'
const entries = { format: 'xml', element: 'entry', root: 'feed' } as const

export const source: Source = {
  id: 'es-placsp-1044',
  title: 'Plataforma de Contratación del Sector Público (plataformas agregadas, sindicación 1044)',
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
      timetable: '35 */2 * * *',
      delivery: {
        kind: 'link-next',
        request: { url: `${folder}/PlataformasAgregadasSinMenores.atom` },
        entries,
        next: 'link[next]',
        ordered: { at: 'updated', direction: 'descending', days: 1 },
      },
    },
    {
      name: 'months',
      slots: { kind: 'month', since: '2022-01-01', rereadDays: [3, 20], isOpenRead: true },
      timetable: '47 4 * * *',
      delivery: {
        kind: 'single',
        request: { url: `${folder}/PlataformasAgregadasSinMenores_{from:yyyyMM}.zip` },
        entries: { format: 'archive', members: /\w+\.atom$/, inside: entries },
        notFound: 'notYet',
      },
    },
  ],
  parse: placspReader('es-placsp-1044'),
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 20, pauseMs: 2_000 },
  expects: {
    perDay: [80, 1_500],
    silentAfterDays: 5,
    shape: ['feed', 'entry', 'updated', 'ContractFolderStatus', 'ContractFolderStatusCode'],
  },
  caveats: [
    'robots.txt disallows the whole host although the feeds are published for reuse; ask the platform before running it.',
    'Seventeen regional platforms (Catalonia, Basque Country, Madrid, Andalusia …) that feed 643 leaves out; addresses lead there.',
    'The feed gives states of contract folders, not notices: every state of a folder becomes a notice of its own.',
    'The name of the zips of the months is that of the feed with the month; not seen live.',
    'The shape was seen in made-up samples and in code of users; real entries were not available.',
  ],
  offBecause: 'robots',
  writeSample: writePlacsp,
}
