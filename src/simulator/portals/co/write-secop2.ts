// Made-up processes of SECOP II.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'cpv'], procedures: ['open', 'open', 'open'] }

const zone = 'America/Bogota'
const pattern = 'yyyy-MM-ddTHH:mm:ss.000'
const natures = { works: 'Obra', services: 'Prestación de servicios', supplies: 'Suministros' } as const
const states = {
  planning: 'Publicado',
  call: 'Publicado',
  change: 'Publicado',
  cancellation: 'Cancelado',
  award: 'Seleccionado',
} as const

export function write(sample: PortalSample): string {
  const isAward = sample.kind === 'award'
  return JSON.stringify({
    entidad: sample.buyer.name,
    nit_entidad: sample.buyer.nationalId,
    ciudad_entidad: sample.buyer.town,
    id_del_proceso: `CO1.REQ.${sample.number}`,
    referencia_del_proceso: sample.reference,
    nombre_del_procedimiento: sample.title,
    descripci_n_del_procedimiento: sample.description,
    fecha_de_publicacion_del: localTime(sample.publishedAt, zone, pattern),
    fecha_de_ultima_publicaci: localTime(sample.publishedAt, zone, pattern),
    fecha_de_recepcion_de: localTimeOf(sample.deadline, zone, pattern),
    precio_base: String(sample.value?.amount ?? 0),
    modalidad_de_contratacion:
      sample.kind === 'planning' ? 'Solicitud de información a los Proveedores' : 'Licitación pública',
    tipo_de_contrato: natures[sample.nature],
    estado_del_procedimiento: states[sample.kind],
    adjudicado: isAward ? 'Si' : 'No',
    valor_total_adjudicacion: String(isAward ? (sample.value?.amount ?? 0) : 0),
    nombre_del_proveedor: sample.winners[0]?.name ?? 'No Definido',
    codigo_principal_de_categoria: 'V1.72101500',
    urlproceso: { url: sample.url },
  })
}
