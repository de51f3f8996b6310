// Made-up rows of the daily open data of CAIS EOP: procedures and, for awards, contracts.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'

export const format: PortalFormat = { lacks: ['change'], procedures: ['open', 'open', 'open'] }

/** `1234,50`. */
const amountOf = (sample: PortalSample): string => sample.value?.amount.toFixed(2).replace('.', ',') ?? ''
/** On the clocks of Bulgaria, without an offset. */
const localTime = (instant: string): string => {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Sofia', dateStyle: 'short', timeStyle: 'medium' })
  return parts.format(Date.parse(instant)).replace(' ', 'T')
}
const kinds = { works: 'Строителство', supplies: 'Доставки', services: 'Услуги' }

export function write(sample: PortalSample): string {
  const shared = {
    noticeId: 800_000 + sample.number,
    publicationDate: localTime(sample.publishedAt),
    uniqueProcurementNumber: sample.procedureId,
    tenderId: 400_000 + sample.number,
    procedureType: 'Публично състезание',
    typeOfContract: kinds[sample.nature],
    currency: sample.value?.currency ?? '',
    buyerName: sample.buyer.name,
    buyerRegistryNumber: sample.buyer.nationalId,
    lotIdentifier: null,
  }
  return JSON.stringify(sample.kind === 'award' ? contract(sample, shared) : procedure(sample, shared))
}

function procedure(sample: PortalSample, shared: object): object {
  return {
    ...shared,
    noticeType: sample.kind === 'planning' ? 'Обявление за предварителна информация' : 'Обявление за поръчка (ЗОП)',
    subject: sample.title,
    mainCpvCode: sample.cpv,
    estimatedValue: amountOf(sample),
    submissionDeadline: sample.deadline === undefined ? null : localTime(sample.deadline),
    executionPlaceNuts: 'BG411',
    isLot: 'Не',
    isCancelled: sample.kind === 'cancellation' ? 'Да' : 'Не',
  }
}

function contract(sample: PortalSample, shared: object): object {
  return {
    ...shared,
    noticeType: 'Обявление за възложена поръчка (ЗОП)',
    tenderName: sample.title,
    tenderMainCpv: sample.cpv,
    noAwarding: 'Не',
    contractNumber: String(sample.number),
    contractSubject: sample.description,
    contractValue: amountOf(sample),
    contractCurrency: sample.value?.currency ?? '',
    supplierName: sample.winners.map((winner) => winner.name).join('; '),
    supplierRegisterNumber: sample.winners.map(() => '123456789').join('; '),
    offersCount: 3,
  }
}
