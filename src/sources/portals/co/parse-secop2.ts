// A process of SECOP II to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { dayIn, wordIn } from '../../read-values.ts'
import { type PhaseTable, phaseIn } from '../read-phase.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'co-secop2',
  profile: 'secop2-procesos',
  language: 'es',
  zone: 'America/Bogota',
  country: 'CO',
  currency: 'COP',
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
} as const

/** `estado_del_procedimiento`, else `estado_resumen`. */
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

/** Modalities in which the buyer chooses without asking for offers; with offers they say so in parentheses. */
const isWithoutOffers = (method: string): boolean =>
  /^contrataci[oó]n\s+(?:directa|r[eé]gimen especial)/i.test(method.trim()) && !/con ofertas/i.test(method)

export function parseSecop2(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'id_del_proceso')
  const state = textAt(entry, 'estado_del_procedimiento') ?? textAt(entry, 'estado_resumen') ?? ''
  const method = textAt(entry, 'modalidad_de_contratacion')
  const isAwarded = /^s[ií]$/i.test(textAt(entry, 'adjudicado')?.trim() ?? '')
  const phase = phaseIn(secopPhases, state, textAt(entry, 'estado_resumen'))
  if (phase === 'draft') return { reason: 'not-procurement', path: '', detail: `a draft: ${state}` }
  const isOver = phase === 'cancelled' || phase === 'unsuccessful'
  const isResult = isAwarded || (!isOver && (phase === 'awarded' || isWithoutOffers(method ?? '')))
  const isRequest = /solicitud de informaci[oó]n/i.test(method ?? '')
  const formType = isResult ? 'result' : isRequest ? 'consultation' : 'competition'
  const isShut = /^cerrado$/i.test(textAt(entry, 'estado_de_apertura_del_proceso')?.trim() ?? '')
  const winner = {
    name: textAt(entry, 'nombre_del_proveedor'),
    nationalId: textAt(entry, 'nit_del_proveedor_adjudicado'),
  }
  const link = member(entry, 'urlproceso')
  // Republication is the only version; the name of its column is cut to the length that the platform allows.
  const changedAt = textAt(entry, 'fecha_de_ultima_publicaci') ?? textAt(entry, 'fecha_de_ultima_publicacion')
  return readPublishedEntry(home, {
    id: id && (isResult ? `${id}/result` : isOver ? `${id}/cancelled` : id),
    version: formType === 'competition' && !isOver ? dayIn(changedAt)?.replaceAll('-', '') : undefined,
    formType,
    noticeType: state || 'proceso',
    procedureId: id,
    reference: textAt(entry, 'referencia_del_proceso'),
    title: textAt(entry, 'nombre_del_procedimiento'),
    description: textAt(entry, 'descripci_n_del_procedimiento'),
    publishedAt: textAt(entry, 'fecha_de_publicacion_del'),
    changedAt,
    deadline: formType === 'competition' ? textAt(entry, 'fecha_de_recepcion_de') : undefined,
    buyer: {
      name: textAt(entry, 'entidad'),
      nationalId: textAt(entry, 'nit_entidad'),
      city: textAt(entry, 'ciudad_entidad'),
    },
    estimatedValue: member(entry, 'precio_base'),
    awardedValue: isResult ? member(entry, 'valor_total_adjudicacion') : undefined,
    procedureType: procedureOf(method ?? ''),
    nationalProcedure: method,
    nature: wordIn(natures, textAt(entry, 'tipo_de_contrato')),
    outcome: isResult ? 'awarded' : undefined,
    winners: isResult ? [winner] : [],
    contractDate: isResult ? textAt(entry, 'fecha_adjudicacion') : undefined,
    receivedTenders: isResult ? member(entry, 'respuestas_al_procedimiento') : undefined,
    changeReasons: phase === 'suspended' ? ['susp-review'] : undefined,
    isClosed: formType === 'competition' && (phase === 'evaluation' || isShut),
    isCancelled: !isResult && isOver,
    url: textAt(link, 'url') ?? textAt(link),
  })
}

function procedureOf(method: string): ProcedureType | undefined {
  if (/contrataci[oó]n directa|sin ofertas/i.test(method)) return 'neg-wo-call'
  if (/licitaci[oó]n|m[ií]nima cuant[ií]a|selecci[oó]n abreviada|subasta/i.test(method)) return 'open'
  return /concurso de m[eé]ritos con precalificaci[oó]n/i.test(method) ? 'restricted' : undefined
}
