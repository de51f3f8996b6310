// Made-up announcements of the Polish bulletin, in the members of its API.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { escapeXml } from '../../samples/xml-text.ts'
import { idOfVersion } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['planning', 'procedure', 'estimate', 'awarded'] }

const noticeTypes = {
  planning: 'AgreementIntentionNotice',
  call: 'ContractNotice',
  change: 'NoticeUpdateNotice',
  cancellation: 'NoticeUpdateNotice',
  award: 'TenderResultNotice',
} as const
const orderTypes = { works: 'Works', supplies: 'Delivery', services: 'Services' } as const

function bodyOf(notice: PortalSample): string {
  const line = (number: string, label: string, text: string) =>
    `<h3 class="mb-0">${number}.) ${label}: <span class="normal">${escapeXml(text)}</span></h3>`
  const parts = [
    '<h2>SEKCJA I - ZAMAWIAJĄCY</h2>',
    line('1.5.3', 'Kod pocztowy', notice.buyer.postalCode),
    line('1.5.9', 'Adres poczty elektronicznej', notice.buyer.email),
    line('1.5.10', 'Adres strony internetowej zamawiającego', notice.buyer.url),
    '<h2>SEKCJA IV – PRZEDMIOT ZAMÓWIENIA</h2>',
    line('4.2.2', 'Krótki opis przedmiotu zamówienia', notice.description),
  ]
  if (notice.kind === 'award' && notice.value) {
    const amount = notice.value.amount.toFixed(2).replace('.', ',')
    parts.push(line('4.3', 'Wartość zamówienia', `${amount} PLN`))
  }
  if (notice.kind === 'cancellation') parts.push('<p>Ogłoszenie o unieważnieniu postępowania</p>')
  return parts.join('\n')
}

/** An entry of the list; a change names what it changes by the identifier of the first version. */
export function write(notice: PortalSample): string {
  const isAward = notice.kind === 'award'
  const number = `${notice.publishedAt.slice(0, 4)}/BZP ${String(notice.number).padStart(8, '0')}/${String(notice.version).padStart(2, '0')}`
  return JSON.stringify({
    clientType: '1.5',
    orderType: orderTypes[notice.nature],
    tenderType: '1.1.1',
    noticeType: noticeTypes[notice.kind],
    noticeNumber: number,
    bzpNumber: number.slice(0, -3),
    isTenderAmountBelowEU: true,
    publicationDate: notice.publishedAt,
    orderObject: notice.title,
    cpvCode: `${notice.cpv} (opis)`,
    submittingOffersDate: isAward ? null : (notice.deadline ?? null),
    procedureResult: isAward ? notice.lots.map(() => 'zawarcieUmowy').join(';') : null,
    organizationName: notice.buyer.name,
    organizationCity: notice.buyer.town,
    organizationProvince: 'PL14',
    organizationCountry: 'PL',
    organizationNationalId: notice.buyer.nationalId,
    organizationId: '1001',
    moIdentifier: idOfVersion(notice),
    tenderId: `ocds-148610-${notice.procedureId}`,
    htmlBody: bodyOf(notice),
    contractors: isAward
      ? notice.lots.map((lot) => {
          const winner = notice.winners.find((candidate) => candidate.lotId === lot.id)
          return winner ? { contractorName: winner.name, contractorCountry: 'PL' } : null
        })
      : null,
    baseNoticeMOIdentifier: notice.version === 1 ? null : notice.id,
    outdated: false,
    objectId: idOfVersion(notice),
  })
}
