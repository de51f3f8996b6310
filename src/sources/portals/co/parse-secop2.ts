// A process of SECOP II to a notice.
import { member, textAt } from '../../ocds/json.ts'
import { dayIn, durationIn, wordIn } from '../../read-values.ts'
import { type PhaseTable, phaseIn } from '../read-phase.ts'
import { firstMatch, homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'co-secop2', profile: 'secop2-procesos', language: 'es', currency: 'COP' })

const procedures = {
  'neg-wo-call': /contrataci[oó]n directa|sin ofertas/i,
  open: /licitaci[oó]n|m[ií]nima cuant[ií]a|selecci[oó]n abreviada|subasta/i,
  restricted: /concurso de m[eé]ritos con precalificaci[oó]n/i,
}

const natures = {
  obra: 'works',
  suministros: 'supplies',
  suministro: 'supplies',
  compraventa: 'supplies',
  'prestacion de servicios': 'services',
  consultoria: 'services',
  interventoria: 'services',
  servicios: 'services',
  'servicios financieros': 'services',
  seguros: 'services',
} as const

/** `estado_del_procedimiento`, else `estado_resumen`, of which answers write `estadoresumen`. */
export const secopPhases: PhaseTable = {
  borrador: 'draft',
  'en edicion': 'draft',
  'en aprobacion': 'draft',
  publicado: 'open',
  abierto: 'open',
  convocado: 'open',
  'presentacion de oferta': 'open',
  suspendido: 'suspended',
  cerrado: 'evaluation',
  evaluacion: 'evaluation',
  'en evaluacion': 'evaluation',
  'proceso en evaluacion': 'evaluation',
  seleccionado: 'awarded',
  adjudicado: 'awarded',
  'proceso adjudicado': 'awarded',
  'proceso adjudicado y celebrado': 'awarded',
  celebrado: 'awarded',
  'en ejecucion': 'awarded',
  terminado: 'awarded',
  liquidado: 'awarded',
  cancelado: 'cancelled',
  'proceso cancelado': 'cancelled',
  revocado: 'cancelled',
  desierto: 'unsuccessful',
  'proceso desierto': 'unsuccessful',
}

/**
 * Modalities in which the buyer chooses without inviting offers; if offers are invited, the name says so in
 * parentheses.
 */
const isWithoutOffers = (method: string): boolean =>
  /^contrataci[oó]n\s+(?:directa|r[eé]gimen especial)/i.test(method.trim()) && !/con ofertas/i.test(method)

export const parseSecop2 = jsonParser(home, (entry, text) => {
  const id = text('id_del_proceso')
  const summary = text('estado_resumen', 'estadoresumen')
  const state = text('estado_del_procedimiento') ?? summary ?? ''
  const method = text('modalidad_de_contratacion')
  const isAwarded = /^s[ií]$/i.test(text('adjudicado')?.trim() ?? '')
  const phase = phaseIn(secopPhases, state, summary)
  if (phase === 'draft') return { reason: 'not-procurement', path: '', detail: `a draft: ${state}` }
  if (/^enajenaci[oó]n\s+de\s+bienes/i.test(method?.trim() ?? ''))
    return { reason: 'not-procurement', path: '', detail: 'a sale of property' }
  const isOver = phase === 'cancelled' || phase === 'unsuccessful'
  const isResult = isAwarded || (!isOver && (phase === 'awarded' || isWithoutOffers(method ?? '')))
  const isRequest = /solicitud de informaci[oó]n/i.test(method ?? '')
  const formType = isResult ? 'result' : isRequest ? 'consultation' : 'competition'
  const isShut = /^cerrado$/i.test(text('estado_de_apertura_del_proceso')?.trim() ?? '')
  const winner = {
    name: text('nombre_del_proveedor'),
    nationalId: text('nit_del_proveedor_adjudicado'),
    city: text('ciudad_proveedor'),
  }
  const link = member(entry, 'urlproceso')
  // Republication is the only version; the name of its column is cut to the length that the platform allows.
  const changedAt = text('fecha_de_ultima_publicaci', 'fecha_de_ultima_publicacion')
  return {
    id: id && (isResult ? `${id}/result` : isOver ? `${id}/cancelled` : id),
    version: formType === 'competition' && !isOver ? dayIn(changedAt)?.replaceAll('-', '') : undefined,
    formType,
    noticeType: state || 'proceso',
    procedureId: id,
    reference: text('referencia_del_proceso'),
    title: text('nombre_del_procedimiento'),
    description: text('descripci_n_del_procedimiento'),
    publishedAt: text('fecha_de_publicacion_del', 'fecha_de_publicacion_fase_3', 'fecha_de_publicacion'),
    changedAt,
    deadline: formType === 'competition' ? text('fecha_de_recepcion_de') : undefined,
    buyer: {
      name: text('entidad'),
      nationalId: text('nit_entidad'),
      city: text('ciudad_entidad'),
    },
    estimatedValue: member(entry, 'precio_base'),
    awardedValue: isResult ? member(entry, 'valor_total_adjudicacion') : undefined,
    procedureType: firstMatch(procedures, method),
    nationalProcedure: method,
    nature: wordIn(natures, text('tipo_de_contrato')),
    outcome: isResult ? 'awarded' : undefined,
    winners: isResult ? [winner] : [],
    contractDate: isResult ? text('fecha_adjudicacion') : undefined,
    receivedTenders: isResult ? member(entry, 'respuestas_al_procedimiento') : undefined,
    duration: durationIn(text('duracion'), text('unidad_de_duracion')),
    changeReasons: phase === 'suspended' ? ['susp-review'] : undefined,
    isClosed: formType === 'competition' && (phase === 'evaluation' || isShut),
    isCancelled: !isResult && isOver,
    url: textAt(link, 'url') ?? textAt(link),
  }
})
