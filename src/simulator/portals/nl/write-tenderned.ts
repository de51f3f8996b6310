// Made-up publications of TenderNed in the members of its JSON service.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['estimate', 'award-value', 'winner'] }

const zone = 'Europe/Amsterdam'
const kinds = { planning: 'VAK', call: 'AAO', change: 'REC', cancellation: 'AGO', award: 'AGO' } as const
const natures = { works: 'W', supplies: 'L', services: 'D' } as const
const procedures = { open: 'OPE', restricted: 'NIO', 'neg-w-call': 'MOP' } as const

/** One publication, as its details are answered. */
export function write(notice: PortalSample): string {
  const id = notice.number * 10 + notice.version
  const code = kinds[notice.kind]
  return JSON.stringify({
    publicatieId: id,
    kenmerk: Number.parseInt(notice.procedureId.slice(0, 8), 16),
    aanbestedingNaam: notice.title,
    opdrachtgeverNaam: notice.buyer.name,
    opdrachtBeschrijving: notice.description,
    publicatieDatum: localTime(notice.publishedAt, zone, 'yyyy-MM-ddTHH:mm:ss.000001'),
    sluitingsDatum: localTimeOf(notice.deadline, zone, 'yyyy-MM-ddTHH:mm:ss') ?? null,
    aankondigingCode: { code, omschrijving: code },
    publicatieCode: notice.kind === 'award' ? 'EFE4' : 'EFE3',
    nationaalOfEuropeesCode: { code: 'NL', omschrijving: 'Nationaal' },
    typeOpdrachtCode: { code: natures[notice.nature], omschrijving: notice.nature },
    procedureCode: { code: procedures[notice.procedureType], omschrijving: notice.procedureType },
    isVroegtijdigeBeeindiging: notice.kind === 'cancellation',
    isGegund: notice.kind === 'award',
    cpvCodes: [{ code: `${notice.cpv}-0`, omschrijving: '', isHoofdOpdracht: true }],
    nutsCodes: [],
    link: { href: `https://www.tenderned.nl/aankondigingen/overzicht/${id}`, title: 'Detail' },
  })
}
