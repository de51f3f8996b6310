// Made-up BOAMP records: the flat members of the dataset, with an eForms tree or a national form in `donnees`.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { formTypeOf, localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['awarded', 'winner'] }

const zone = 'Europe/Paris'
const natures = {
  planning: ['PREINFORMATION', 'Avis de préinformation'],
  call: ['APPEL_OFFRE', 'Avis de marché'],
  change: ['RECTIFICATIF', 'Rectificatif'],
  cancellation: ['ANNULATION', "Avis d'annulation"],
  award: ['ATTRIBUTION', 'Résultat de marché'],
} as const
/** The root element of a notice in eForms, and its notice type. */
const eformsTypes = {
  planning: ['PriorInformationNotice', 'pin-only'],
  competition: ['ContractNotice', 'cn-standard'],
  result: ['ContractAwardNotice', 'can-standard'],
} as const
const categories = { open: 'OUVERT', restricted: 'RESTREINT', 'neg-w-call': 'NEGOCIE' } as const
const types = { works: 'TRAVAUX', supplies: 'FOURNITURES', services: 'SERVICES' } as const

const amountOf = (value: { readonly amount: number; readonly currency: string }) => ({
  '@currencyID': value.currency,
  '#text': String(value.amount),
})

function eformsOf(notice: PortalSample): unknown {
  const isAward = notice.kind === 'award'
  const form = formTypeOf(notice)
  const [root, type] = eformsTypes[form]
  const { deadline } = notice
  const organization = (id: string, name: string, rest: object) => ({
    'efac:Company': {
      'cac:PartyIdentification': { 'cbc:ID': { '@schemeName': 'organization', '#text': id } },
      'cac:PartyName': { 'cbc:Name': { '@languageID': 'FRA', '#text': name } },
      ...rest,
    },
  })
  return {
    EFORMS: {
      [root]: {
        'ext:UBLExtensions': {
          'ext:UBLExtension': {
            'ext:ExtensionContent': {
              'efext:EformsExtension': {
                ...(notice.kind === 'change' || notice.kind === 'cancellation'
                  ? {
                      'efac:Changes': {
                        'efbc:ChangedNoticeIdentifier': `${notice.id}-01`,
                        'efac:ChangeReason': { 'cbc:ReasonCode': notice.kind === 'change' ? 'update-add' : 'cancel' },
                      },
                    }
                  : {}),
                ...(isAward
                  ? {
                      'efac:NoticeResult': {
                        'efac:LotResult': notice.lots.map((lot, index) => ({
                          'cbc:ID': { '@schemeName': 'result', '#text': `RES-000${index + 1}` },
                          'cbc:TenderResultCode': { '@listName': 'winner-selection-status', '#text': 'selec-w' },
                          'efac:TenderLot': { 'cbc:ID': { '@schemeName': 'Lot', '#text': lot.id } },
                        })),
                      },
                    }
                  : {}),
                'efac:NoticeSubType': {
                  'cbc:SubTypeCode': {
                    '@listName': 'notice-subtype',
                    '#text': isAward ? '29' : notice.kind === 'planning' ? '4' : '16',
                  },
                },
                'efac:Organizations': {
                  'efac:Organization': organization('ORG-0001', notice.buyer.name, {
                    'cac:PostalAddress': {
                      'cbc:CityName': notice.buyer.town,
                      'cbc:PostalZone': notice.buyer.postalCode,
                      'cbc:CountrySubentityCode': { '@listName': 'nuts', '#text': notice.buyer.nuts },
                      'cac:Country': { 'cbc:IdentificationCode': { '@listName': 'country', '#text': 'FRA' } },
                    },
                    'cac:PartyLegalEntity': { 'cbc:CompanyID': notice.buyer.nationalId },
                  }),
                },
              },
            },
          },
        },
        'cbc:CustomizationID': 'eforms-sdk-1.10',
        'cbc:ID': { '@schemeName': 'notice-id', '#text': notice.id },
        'cbc:ContractFolderID': notice.procedureId,
        'cbc:IssueDate': localTime(notice.publishedAt, zone, 'yyyy-MM-ddxxx'),
        'cbc:IssueTime': localTime(notice.publishedAt, zone, 'HH:mm:ssxxx'),
        'cbc:VersionID': String(notice.version).padStart(2, '0'),
        'cbc:NoticeTypeCode': { '@listName': form, '#text': type },
        'cbc:NoticeLanguageCode': { '@listName': 'language', '#text': 'FRA' },
        'cac:ContractingParty': {
          'cac:Party': {
            'cac:PartyIdentification': { 'cbc:ID': { '@schemeName': 'organization', '#text': 'ORG-0001' } },
          },
        },
        'cac:TenderingProcess': {
          'cbc:ProcedureCode': { '@listName': 'procurement-procedure-type', '#text': notice.procedureType },
        },
        'cac:ProcurementProject': {
          'cbc:ID': { '@schemeName': 'InternalID', '#text': notice.reference },
          'cbc:Name': { '@languageID': 'FRA', '#text': notice.title },
          'cbc:Description': { '@languageID': 'FRA', '#text': notice.description },
          'cbc:ProcurementTypeCode': { '@listName': 'contract-nature', '#text': notice.nature },
          ...(notice.value
            ? { 'cac:RequestedTenderTotal': { 'cbc:EstimatedOverallContractAmount': amountOf(notice.value) } }
            : {}),
          'cac:MainCommodityClassification': {
            'cbc:ItemClassificationCode': { '@listName': 'cpv', '#text': notice.cpv },
          },
        },
        'cac:ProcurementProjectLot': notice.lots.map((lot) => ({
          'cbc:ID': { '@schemeName': 'Lot', '#text': lot.id },
          ...(deadline && !isAward
            ? {
                'cac:TenderingProcess': {
                  'cac:TenderSubmissionDeadlinePeriod': {
                    'cbc:EndDate': localTime(deadline, zone, 'yyyy-MM-ddxxx'),
                    'cbc:EndTime': localTime(deadline, zone, 'HH:mm:ssxxx'),
                  },
                },
              }
            : {}),
          'cac:ProcurementProject': {
            'cbc:Name': { '@languageID': 'FRA', '#text': lot.title },
            'cac:MainCommodityClassification': {
              'cbc:ItemClassificationCode': { '@listName': 'cpv', '#text': lot.cpv },
            },
          },
        })),
      },
    },
  }
}

function nationalOf(notice: PortalSample): unknown {
  return {
    FNSimple: {
      organisme: { nomOfficiel: notice.buyer.name, ville: notice.buyer.town, cp: notice.buyer.postalCode },
      [notice.kind === 'change' ? 'rectificatif' : notice.kind === 'award' ? 'attribution' : 'initial']: {
        communication: { urlDocConsul: notice.url },
        natureMarche: {
          description: notice.description,
          codeCPV: { objetPrincipal: { classPrincipale: notice.cpv } },
        },
      },
    },
  }
}

/** A record of the dataset; notices with a value are eForms, because the national form has no place for one. */
export function write(notice: PortalSample): string {
  const id = idwebOf(notice)
  const [nature, label] = natures[notice.kind]
  const isEforms = notice.value !== undefined
  return JSON.stringify({
    idweb: id,
    id: id.replace('-', '_'),
    contractfolderid: notice.procedureId,
    objet: notice.title,
    famille: isEforms ? 'JOUE' : 'FNS',
    code_departement: [notice.buyer.postalCode.slice(0, 2)],
    dateparution: localTime(notice.publishedAt, zone, 'yyyy-MM-dd'),
    datelimitereponse: notice.deadline?.replace('.000Z', '+00:00') ?? null,
    nomacheteur: notice.buyer.name,
    titulaire: notice.winners.map((winner) => winner.name),
    nature,
    nature_libelle: label,
    procedure_categorise: categories[notice.procedureType],
    type_marche: [types[notice.nature]],
    annonce_lie:
      notice.kind === 'change' || notice.kind === 'cancellation' ? [idwebOf({ ...notice, version: 1 })] : null,
    etat: notice.kind === 'cancellation' ? 'AVIS_ANNULE' : 'INITIAL',
    url_avis: `https://www.boamp.fr/pages/avis/?q=idweb:${id}`,
    donnees: JSON.stringify(isEforms ? eformsOf(notice) : nationalOf(notice)),
  })
}

/** BOAMP counts within a year; every version is a separate announcement. */
function idwebOf(notice: Pick<PortalSample, 'number' | 'version' | 'publishedAt'>): string {
  return `${notice.publishedAt.slice(2, 4)}-${(notice.number % 100_000) * 10 + notice.version}`
}
