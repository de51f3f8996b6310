// The phases of procurements: every word of docs/sources/phases.md, from the portal's entry to the status of the
// record.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lifecycleOf } from '../../src/consolidate/lifecycle.ts'
import { timelineOf } from '../../src/consolidate/timeline.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { parsePncp, pncpPhases } from '../../src/sources/portals/br/parse-pncp.ts'
import { parseSecop2, secopPhases } from '../../src/sources/portals/co/parse-secop2.ts'
import { phaseIn } from '../../src/sources/portals/read-phase.ts'

const now = Date.parse('2026-11-22T12:00:00Z')
const page = readFileSync(join(import.meta.dirname, '../../docs/sources/phases.md'), 'utf8')

/** The words of one table of the page, with their phase. */
function tableOf(heading: string): (readonly [string, string])[] {
  const section = page.split('\n## ').find((each) => each.startsWith(heading))!
  return [...section.matchAll(/^\| (?!Words|---)(.+?) \| (.+?) \|$/gm)].flatMap(([, words, phase]) =>
    words!.split(', ').map((word) => [word, phase!] as const),
  )
}

const statusOfPhase = {
  draft: undefined,
  open: 'open',
  suspended: 'open',
  evaluation: 'closed',
  awarded: 'awarded',
  cancelled: 'cancelled',
  unsuccessful: 'cancelled',
} as const

/** The status of the record of one document; undefined if there is none. */
function statusOf(parse: (bytes: Uint8Array) => ReturnType<typeof parseDocument>, entry: object): string | undefined {
  const notices = parse(Buffer.from(JSON.stringify(entry))).flatMap((part) => ('notice' in part ? [part.notice] : []))
  return notices.length === 0 ? undefined : lifecycleOf(timelineOf(notices), now).status
}

const secop = (members: object) => ({
  entidad: 'Alcaldía de Muestra',
  nit_entidad: '900123456',
  id_del_proceso: 'CO1.REQ.1',
  nombre_del_procedimiento: 'Pupitres',
  fecha_de_publicacion_del: '2026-11-10T00:00:00.000',
  modalidad_de_contratacion: 'Licitación pública',
  adjudicado: 'No',
  ...members,
})
const deadlines = [{}, { fecha_de_recepcion_de: '2026-12-20T10:00:00.000' }]

describe('SECOP II', () => {
  test.each(tableOf('SECOP II'))('%s is %s, with and without a deadline', (word, phase) => {
    expect(phaseIn(secopPhases, word)).toBe(phase)
    for (const deadline of deadlines)
      for (const member of ['estado_del_procedimiento', 'estado_resumen'])
        expect(statusOf(parseSecop2, secop({ [member]: word, ...deadline }))).toBe(
          statusOfPhase[phase as keyof typeof statusOfPhase],
        )
  })
  test('the page names every word of the code', () => {
    const named = tableOf('SECOP II').map(([word]) => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase())
    expect(named.sort()).toEqual(Object.keys(secopPhases).sort())
  })
  test.each([
    ['Contratación directa', 'awarded'],
    ['Contratación régimen especial', 'awarded'],
    ['Contratación Directa (con ofertas)', 'open'],
    ['Contratación régimen especial (con ofertas)', 'open'],
    ['Mínima cuantía', 'open'],
  ])('%s that is published is %s', (method, status) => {
    expect(
      statusOf(parseSecop2, secop({ modalidad_de_contratacion: method, estado_del_procedimiento: 'Publicado' })),
    ).toBe(status)
  })
  test('a draft or cancelled direct contract remains so; a call whose opening is over is closed', () => {
    const direct = { modalidad_de_contratacion: 'Contratación directa' }
    expect(statusOf(parseSecop2, secop({ ...direct, estado_del_procedimiento: 'Borrador' }))).toBeUndefined()
    expect(statusOf(parseSecop2, secop({ ...direct, estado_del_procedimiento: 'Cancelado' }))).toBe('cancelled')
    const shut = { estado_del_procedimiento: 'Publicado', estado_de_apertura_del_proceso: 'Cerrado' }
    expect(statusOf(parseSecop2, secop(shut))).toBe('closed')
  })
})

test('a call that was evaluated and is published again is open again', () => {
  const versions = ['Publicado', 'Evaluación', 'Publicado'].map((state, index) =>
    secop({
      estado_del_procedimiento: state,
      fecha_de_ultima_publicaci: `2026-11-${10 + index}T00:00:00.000`,
      fecha_de_recepcion_de: '2026-12-20T10:00:00.000',
    }),
  )
  const notices = versions
    .flatMap((entry) => parseSecop2(Buffer.from(JSON.stringify(entry))))
    .flatMap((part) => ('notice' in part ? [part.notice] : []))
  const statuses = [1, 2, 3].map((count) => lifecycleOf(timelineOf(notices.slice(0, count)), now).status)
  expect(statuses).toEqual(['open', 'closed', 'open'])
})

const pncp = (members: object) => ({
  numeroControlePNCP: '13864377000130-1-000007/2026',
  objetoCompra: 'Carteiras escolares',
  orgaoEntidade: { cnpj: '13864377000130', razaoSocial: 'Prefeitura de Amostra' },
  modalidadeId: 6,
  situacaoCompraNome: 'Divulgada no PNCP',
  dataPublicacaoPncp: '2026-11-10T09:00:00',
  ...members,
})

describe('PNCP', () => {
  test.each(tableOf('PNCP'))('%s is %s', (word, phase) => {
    expect(phaseIn(pncpPhases, word)).toBe(phase)
    for (const deadline of [{}, { dataEncerramentoProposta: '2026-12-20T10:00:00' }])
      expect(statusOf(parsePncp, pncp({ situacaoCompraNome: word, ...deadline }))).toBe(
        statusOfPhase[phase as keyof typeof statusOfPhase],
      )
  })
  test('the page names every word of the code', () => {
    expect(
      tableOf('PNCP')
        .map(([word]) => word.toLowerCase())
        .sort(),
    ).toEqual(Object.keys(pncpPhases).sort())
  })
  test.each([
    ['inexigibilidade', { modalidadeId: 9, modalidadeNome: 'Inexigibilidade' }, 'awarded'],
    ['a waiver by an act that authorizes it', { modalidadeId: 8, tipoInstrumentoConvocatorioCodigo: 3 }, 'awarded'],
    [
      'the same by name',
      { modalidadeId: 8, tipoInstrumentoConvocatorioNome: 'Ato que autoriza a Contratação Direta' },
      'awarded',
    ],
    ['a waiver with offers', { modalidadeId: 8, tipoInstrumentoConvocatorioCodigo: 2 }, 'open'],
    ['inexigibilidade that is annulled', { modalidadeId: 9, situacaoCompraNome: 'Anulada' }, 'cancelled'],
    ['a confirmed amount', { valorTotalHomologado: 100 }, 'awarded'],
  ])('%s', (_, members, status) => {
    expect(statusOf(parsePncp, pncp(members))).toBe(status)
  })
})

const release = (tender: object) => ({
  uri: 'https://portal.example/1',
  publishedDate: '2026-11-10T09:00:00Z',
  releases: [
    {
      ocid: 'ocds-03ad3f-1',
      id: 'r-1',
      date: '2026-11-10T09:00:00Z',
      tag: ['tender'],
      buyer: { name: 'Municipalidad de Muestra' },
      tender: { id: '1', title: 'Pupitres', status: 'active', procurementMethod: 'open', ...tender },
    },
  ],
})
const tenderPeriod = { endDate: '2026-12-20T10:00:00Z' }

describe('OCDS', () => {
  test.each([
    ['active', {}, 'open'],
    ['active with a deadline', { tenderPeriod }, 'open'],
    ['complete without an award, its deadline still to come', { status: 'complete', tenderPeriod }, 'closed'],
    ['evaluation in the details', { statusDetails: 'En Evaluación', tenderPeriod }, 'closed'],
    ['closed in the details, without a deadline', { statusDetails: 'Cerrada' }, 'closed'],
    ['qualification', { status: 'active.qualification', tenderPeriod }, 'closed'],
    ['tendering', { status: 'active.tendering', tenderPeriod }, 'open'],
    ['evaluation in Romanian', { status: 'Evaluarea ofertelor', tenderPeriod }, 'closed'],
    ['direct without a deadline', { procurementMethod: 'direct' }, 'awarded'],
    ['direct with a deadline', { procurementMethod: 'direct', tenderPeriod }, 'open'],
    ['direct and cancelled', { procurementMethod: 'direct', status: 'cancelled' }, 'cancelled'],
    ['unsuccessful', { status: 'unsuccessful' }, 'cancelled'],
  ])('%s', (_, tender, status) => {
    expect(statusOf(parseDocument, release(tender))).toBe(status)
  })
})
