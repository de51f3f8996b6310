// A process of SECOP II to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { dayIn, wordIn } from '../../read-values.ts'
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

export function parseSecop2(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'id_del_proceso')
  const state = textAt(entry, 'estado_del_procedimiento') ?? textAt(entry, 'estado_resumen') ?? ''
  const method = textAt(entry, 'modalidad_de_contratacion')
  const isAwarded = /^s[ií]$/i.test(textAt(entry, 'adjudicado')?.trim() ?? '')
  const isCancelled = /cancelad|revocad|desiert/i.test(state)
  const formType = formOf(method ?? '', isAwarded)
  const winner = {
    name: textAt(entry, 'nombre_del_proveedor'),
    nationalId: textAt(entry, 'nit_del_proveedor_adjudicado'),
  }
  const link = member(entry, 'urlproceso')
  // Republication is the only version; the name of its column is cut to the length that the platform allows.
  const changedAt = textAt(entry, 'fecha_de_ultima_publicaci') ?? textAt(entry, 'fecha_de_ultima_publicacion')
  return readPublishedEntry(home, {
    id: id && (formType === 'result' ? `${id}/result` : isCancelled ? `${id}/cancelled` : id),
    version: formType === 'competition' && !isCancelled ? dayIn(changedAt)?.replaceAll('-', '') : undefined,
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
    awardedValue: formType === 'result' ? member(entry, 'valor_total_adjudicacion') : undefined,
    procedureType: procedureOf(method ?? ''),
    nationalProcedure: method,
    nature: wordIn(natures, textAt(entry, 'tipo_de_contrato')),
    outcome: formType === 'result' ? 'awarded' : undefined,
    winners: formType === 'result' ? [winner] : [],
    contractDate: formType === 'result' ? textAt(entry, 'fecha_adjudicacion') : undefined,
    receivedTenders: formType === 'result' ? member(entry, 'respuestas_al_procedimiento') : undefined,
    isCancelled,
    url: textAt(link, 'url') ?? textAt(link),
  })
}

function formOf(method: string, isAwarded: boolean): FormType {
  if (isAwarded) return 'result'
  return /solicitud de informaci[oó]n/i.test(method) ? 'consultation' : 'competition'
}

function procedureOf(method: string): ProcedureType | undefined {
  if (/contrataci[oó]n directa|sin ofertas/i.test(method)) return 'neg-wo-call'
  if (/licitaci[oó]n|m[ií]nima cuant[ií]a|selecci[oó]n abreviada|subasta/i.test(method)) return 'open'
  return /concurso de m[eé]ritos con precalificaci[oó]n/i.test(method) ? 'restricted' : undefined
}
