// Denmark: udbud.dk, through the search behind its pages, which can be asked for what it registered since a time.
import { sourceOf } from '../../source.ts'
import { parseUdbud } from './parse-udbud.ts'

export const source = sourceOf({
  id: 'dk-udbud',
  title: 'udbud.dk',
  publisher: 'Konkurrence- og Forbrugerstyrelsen',
  homepage: 'https://udbud.dk',
  documentation: 'https://udbud.dk/soegning/api-docs',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/spmbiz/tender-engine/blob/1b2d48e425840198aa43742374ed6f2ed556fb4e/pipeline/discover_dk_udbud_public.py',
  ],
  license: { name: 'Reproduction with attribution, commercial use permitted', attribution: 'udbud.dk' },
  channels: [
    {
      name: 'registered',
      slots: { kind: 'day', since: '2023-10-01', rereadDays: [1], isOpenRead: true },
      delivery: {
        kind: 'page',
        request: {
          url: 'https://udbud.dk/soegning/public/soegeresultat',
          json: {
            pagineringDto: {
              aktuelSide: '{page}',
              maksElementer: '{limit}',
              sorteringFelt: 'PUBLIKATION_DATO',
              retning: 'Asc',
            },
            filterDto: {
              cpvKoder: [],
              formularType: [],
              systemFilter: { registreretTidFra: '{from:isoSeconds}', registreretTidTil: '{to:isoSeconds}' },
            },
            udbudStatusFilter: 'ALLE',
          },
        },
        entries: { format: 'json', at: '/resultatElementDtoList' },
        total: '/totaltAntalResultater',
        pageSize: 100,
        end: { when: 'total' },
      },
    },
  ],
  parse: parseUdbud,
  politeness: { requestsPerMinute: 30, pauseMs: 1_000 },
  expects: {
    perDay: [10, 300],
    silentAfterDays: 5,
    shape: ['/totaltAntalResultater', '/resultatElementDtoList/0/noticeId', '/resultatElementDtoList/0/noticeVersion'],
  },
  caveats: [
    'Notices above the thresholds are in TED too, with the same notice id and version.',
    'registreretTidFra/Til filter by the time of registration, so changed notices are found; how times are written has not been seen live.',
    'Deadlines are a list without names; the earliest is taken.',
    'Winners are only in the page of a notice (HTML), which is not read.',
  ],
})
