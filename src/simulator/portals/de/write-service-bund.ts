// Made-up items of the RSS feeds of service.bund.de.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { escapeXml } from '../../samples/xml-text.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['planning', 'change', 'cancellation', 'cpv', 'nature', 'procedure', 'estimate', 'award-value'],
}

const zone = 'Europe/Berlin'

/** An item in the root of its feed. The feeds know calls and awards only, and a change is a new item. */
export function write(notice: PortalSample): string {
  const isAward = notice.kind === 'award'
  const month = localTime(notice.publishedAt, zone, 'yyyy/MM')
  const deadline = localTimeOf(notice.deadline, zone, 'dd.MM.yyyy HH:mm')
  const folder = isAward ? 'Vergebene-Auftraege' : 'Ausschreibungen'
  const link = `https://www.service.bund.de/IMPORTE/${folder}/eVergabe/${month}/${notice.number}-${notice.version}.html`
  const facts = [
    `Vergabestelle: <strong>${escapeXml(notice.buyer.name)}</strong>`,
    ...(deadline ? [`Angebotsfrist: <strong>${deadline}</strong>`] : []),
    `Erfüllungsort: <strong>${escapeXml(notice.buyer.postalCode)} ${escapeXml(notice.buyer.town)}</strong>`,
    ...(isAward
      ? notice.winners.slice(0, 1).map((winner) => `Auftragnehmer: <strong>${escapeXml(winner.name)}</strong>`)
      : []),
  ]
  const at = new Date(notice.publishedAt).toUTCString()
  return (
    `<rss version="2.0"><item><title>${escapeXml(notice.title)}</title><link>${link}</link>` +
    `<description>${escapeXml(facts.join('<br/>'))}</description><pubDate>${at}</pubDate><guid ` +
    `isPermaLink="false">${notice.number}-${notice.version}</guid></item></rss>`
  )
}
