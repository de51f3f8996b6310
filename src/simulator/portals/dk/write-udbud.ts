// Made-up hits of the search of udbud.dk.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { formTypeOf, localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['nature', 'procedure', 'awarded', 'winner'] }

export function write(notice: PortalSample): string {
  const data = {
    titel: notice.title,
    ordregiver: notice.buyer.name,
    ordregiverId: notice.buyer.nationalId,
    beskrivelse: notice.description,
    publiceringsdato: localTime(notice.publishedAt, 'Europe/Copenhagen', 'dd-MM-yyyy'),
    tidsfrister: notice.deadline ? [notice.deadline] : [],
    cpvKode: notice.cpv,
    formulartype: notice.kind === 'cancellation' ? 'Annulleret udbud' : 'Udbud',
    formulartypeKode: formTypeOf(notice),
    bkSubTypeKode: notice.kind === 'award' ? 'E4' : 'E3',
    anslaaetVaerdi: notice.value ? String(notice.value.amount) : '',
    anslaaetVaerdiValuta: notice.value?.currency ?? '',
    erAendring: notice.kind === 'change',
  }
  return JSON.stringify({
    noticeId: notice.id,
    noticeVersion: String(notice.version).padStart(2, '0'),
    noticePublicationNumber: `${String(notice.number).padStart(8, '0')}-DK-${notice.publishedAt.slice(0, 4)}`,
    dataDa: data,
    dataEn: data,
  })
}
