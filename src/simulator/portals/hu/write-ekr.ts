// Made-up notices of EKR.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'

export const format: PortalFormat = { lacks: ['estimate', 'award-value'] }

const kinds = {
  planning: 'Nemzeti, Előzetes tájékoztató',
  call: 'Nemzeti, Ajánlati felhívás',
  change: 'Nemzeti, Ajánlati felhívás módosítása',
  cancellation: 'Nemzeti, Ajánlati felhívás visszavonása',
  award: 'Nemzeti, Tájékoztató az eljárás eredményéről',
} as const
const natures = { works: 'Építési beruházás', services: 'Szolgáltatás', supplies: 'Árubeszerzés' } as const
const procedures = {
  open: 'Nyílt eljárás',
  restricted: 'Meghívásos eljárás',
  'neg-w-call': 'Tárgyalásos eljárás',
} as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    id: sample.number,
    hirdetmenyEKRazonosito: `${sample.reference}/1`,
    ajanlatkeroNeve: sample.buyer.name,
    eljarasTargya: sample.title,
    hirdetmenyIktatoszam: String(sample.number),
    tedAzonosito: null,
    hirdetmenyTipusa: kinds[sample.kind],
    eljarasAjanlatteteliHatarido: sample.deadline?.replace('Z', '+0000') ?? null,
    hirdetmenyKozzetetelDatuma: sample.publishedAt.replace('Z', '+0000'),
    eljarasTechnikaiAzonosito: sample.procedureId,
    eljarasBeszerzesTargya: natures[sample.nature],
    eljarasCPVkod: [`${sample.cpv}-0`],
    eljarasNyertesAjanlattevoNeve: sample.winners.map((winner) => winner.name).join('; ') || null,
    eljarasTeljesitesHelye: sample.buyer.nuts,
    eljarasEljarasTipusa: procedures[sample.procedureType],
  })
}
