// Made-up announcements of IUB's daily files, as they are in the file.
import { type PortalFormat, type PortalSample, versionedId } from '../../samples/portal-sample.ts'
import { formTypeOf, localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['publication'] }

const zone = 'Europe/Riga'

export function write(sample: PortalSample): string {
  return JSON.stringify({
    identifier: versionedId(sample),
    formType: formTypeOf(sample),
    noticeType: sample.kind === 'award' ? 'pil-result' : 'pil-contract',
    procedureLegalBasis: 'pil-under',
    procurementProcedureIdentifier: sample.procedureId,
    ...(sample.version > 1 ? { previousIdentifier: sample.id } : {}),
    ...(sample.kind === 'cancellation' ? { changeReasonCode: 'cancel' } : {}),
    name: sample.title,
    procurementProject: {
      description: sample.description,
      mainNatureType: sample.nature,
      procurementIdentifier: sample.reference,
    },
    organizationData: {
      role: 'buyer',
      name: sample.buyer.name,
      identifier: sample.buyer.nationalId,
      city: sample.buyer.town,
      postCode: sample.buyer.postalCode,
      countryCode: 'LVA',
      nutsCode: 'LV006',
      defaultContactPoint: { electronicMail: sample.buyer.email },
    },
    cpvType: `${sample.cpv}-0`,
    additionalCpvType: [],
    tenderingProcess: { procedureType: sample.procedureType, documentsURL: sample.url },
    automaticallyCalculated: {
      statementValue: {
        [sample.kind === 'award' ? 'noticeContractValue' : 'estimatedValue']: {
          sum: sample.value?.amount ?? null,
          currency: 'EUR',
        },
      },
    },
    lots: sample.lots.map((lot) => ({
      id: lot.id,
      name: lot.title,
      place: { placePerformanceCountrySubCode: 'LV006' },
      additionalInformation: { estimatedValue: String(lot.amount) },
      tenderingProcess:
        sample.deadline === undefined
          ? []
          : {
              deadlineReceiptTendersEndDate: localTime(sample.deadline, zone, 'dd/MM/yyyy'),
              deadlineReceiptTendersEndTime: localTime(sample.deadline, zone, 'HH:mm'),
            },
      ...(sample.kind === 'award' ? { result: { winnerSelectionStatus: 'selec-w' } } : {}),
      contracts: sample.winners
        .filter((winner) => winner.lotId === lot.id)
        .map((winner) => ({
          winners: [
            { tenderValue: { amount: winner.amount, currency: 'EUR' }, winnerBusinessParties: [{ name: winner.name }] },
          ],
        })),
    })),
  })
}
