// An awarded contract of DECP: a row of the Ministry's dataset, or a `marche` of the consolidated files, in which
// parties are objects and each modification stands within its contract.
import type { LotResult, Notice, Organization, ParsedPart, Place, Rejection } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import { countIn, cpvCodesIn, dayIn, instantIn, moneyIn, organizationOf, titleIn, wordIn } from '../../read-values.ts'
import { cleanField } from '../../text.ts'

const publisher = 'fr-decp-awards'
const zone = 'Europe/Paris'

const procedureTypes: { readonly [label: string]: string } = {
  "appel d'offres ouvert": 'open',
  "appel d'offres restreint": 'restricted',
  'procedure avec negociation': 'neg-w-call',
  'procedure negociee avec mise en concurrence prealable': 'neg-w-call',
  'marche passe sans publicite ni mise en concurrence prealable': 'neg-wo-call',
  'dialogue competitif': 'comp-dial',
}

/** CPV divisions tell the nature where nothing else does: 45 is works, up to 44 and 48 are supplies. */
function natureOf(cpv: string | undefined): string | undefined {
  if (cpv === undefined) return undefined
  const division = Number(cpv.slice(0, 2))
  return division === 45 ? 'works' : division <= 44 || division === 48 ? 'supplies' : 'services'
}

/** Parties have a number (SIRET) and mostly no name; the number stands in for it. */
function partyOf(
  id: string | undefined,
  name: string | undefined,
  scheme: string | undefined,
): Organization | undefined {
  const number = cleanField(id, 50)
  const known = cleanField(name)
  return organizationOf(
    { name: known ?? (number && `${cleanField(scheme, 20) ?? 'SIRET'} ${number}`), nationalId: number },
    (scheme ?? 'SIRET') === 'SIRET' ? 'FR' : undefined,
  )
}

/** Where the contract is performed; codes of departments and communes are no postal codes. */
function placeOf(row: JsonObject): Place | undefined {
  const isPostal = /^code postal$/i.test(textAt(row, 'lieuexecution_typecode') ?? '')
  const postalCode = isPostal ? cleanField(textAt(row, 'lieuexecution_code'), 20) : undefined
  return postalCode === undefined ? undefined : { country: 'FR', postalCode }
}

/** The members of a row that name its winners, the same for each of up to three. */
const winnersOfRow = (row: JsonObject): (Organization | undefined)[] =>
  ['1', '2', '3'].map((index) =>
    partyOf(
      textAt(row, `titulaire_id_${index}`),
      textAt(row, `titulaire_denominationsociale_${index}`),
      textAt(row, `titulaire_typeidentifiant_${index}`),
    ),
  )

function readContract(row: JsonObject, parties: readonly (Organization | undefined)[]): Notice | Rejection {
  const buyerId = cleanField(textAt(row, 'acheteur_id'), 50)
  const id = cleanField(textAt(row, 'id'), 100)
  const buyer = partyOf(buyerId, textAt(row, 'acheteur_nom'), 'SIRET')
  const winners = parties.filter((winner) => winner !== undefined)
  const value = moneyIn(member(row, 'montant'), 'EUR')
  const cpvCodes = cpvCodesIn(textAt(row, 'codecpv'))
  const notified = textAt(row, 'datenotification')
  const published = textAt(row, 'datepublicationdonnees')
  return readPortalNotice({
    id: id && `${buyerId ?? ''}/${id}@${dayIn(published) ?? dayIn(notified) ?? ''}`,
    publisher,
    profile: 'decp-2022',
    internalReference: id,
    formType: cleanField(textAt(row, 'idmodification'), 50) ? 'cont-modif' : 'result',
    noticeType: cleanField(textAt(row, 'nature'), 100) ?? 'Marché',
    language: 'fr',
    title: titleIn(textAt(row, 'objet'), 'fr'),
    publicationDate: instantIn(published, zone) ?? instantIn(notified, zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureType: wordIn(procedureTypes, textAt(row, 'procedure')),
    procedureTypeNational: cleanField(textAt(row, 'procedure'), 200),
    contractNature: natureOf(cpvCodes[0]),
    cpvCodes,
    awardedValue: value,
    place: placeOf(row),
    lots: [
      {
        lotId: '1',
        cpvCodes: [],
        nutsCodes: [],
        result: compact<LotResult>({
          outcome: 'awarded',
          awardedValue: value,
          winners: winners.length > 0 ? winners : undefined,
          contractDate: dayIn(notified),
          receivedTenders: countIn(member(row, 'offresrecues')),
        }),
      },
    ],
  })
}

/** The parties in a list of them, however deep the platform nested it: `[{titulaire: {id}}]`, `[[{id}]]`. */
function partiesIn(value: unknown): (Organization | undefined)[] {
  if (Array.isArray(value)) return value.flatMap(partiesIn)
  const object = asObject(value)
  if (!object) return []
  if (!Object.hasOwn(object, 'id')) return Object.values(object).flatMap(partiesIn)
  return [partyOf(textAt(object, 'id'), textAt(object, 'denominationSociale'), textAt(object, 'typeIdentifiant'))]
}

/** A `marche` or concession as a row, without its winners. */
function rowOf(contract: JsonObject): JsonObject {
  const buyer = member(contract, 'acheteur') ?? member(contract, 'autoriteConcedante')
  return {
    id: member(contract, 'id'),
    acheteur_id: textAt(buyer, 'id') ?? textAt(contract, 'acheteur.id'),
    acheteur_nom: textAt(buyer, 'nom') ?? textAt(contract, 'acheteur.nom'),
    nature: member(contract, 'nature'),
    objet: member(contract, 'objet'),
    codecpv: member(contract, 'codeCPV'),
    procedure: member(contract, 'procedure'),
    lieuexecution_code: member(contract, 'lieuExecution', 'code'),
    lieuexecution_typecode: member(contract, 'lieuExecution', 'typeCode'),
    montant: member(contract, 'montant') ?? member(contract, 'valeurGlobale'),
    offresrecues: member(contract, 'offresRecues'),
    datenotification: textAt(contract, 'dateNotification') ?? textAt(contract, 'dateSignature'),
    datepublicationdonnees: member(contract, 'datePublicationDonnees'),
  }
}

/** The contract as it was awarded, and then each of its modifications. */
function readNested(contract: JsonObject): (Notice | Rejection)[] {
  const row = rowOf(contract)
  const winners = partiesIn(member(contract, 'titulaires') ?? member(contract, 'concessionnaires'))
  const changes = objectsOf(contract, 'modifications').map((each) => asObject(member(each, 'modification')) ?? each)
  return [
    readContract(row, winners),
    ...changes.map((change, index) => {
      const changed = partiesIn(member(change, 'titulaires'))
      return readContract(
        {
          ...row,
          idmodification: textAt(change, 'id') ?? String(index + 1),
          montant: member(change, 'montant') ?? row['montant'],
          datenotification: textAt(change, 'dateNotificationModification') ?? row['datenotification'],
          datepublicationdonnees:
            textAt(change, 'datePublicationDonneesModification') ?? textAt(change, 'dateNotificationModification'),
        },
        changed.length > 0 ? changed : winners,
      )
    }),
  ]
}

/** A whole file: `{marches: […]}`, or `{marches: {marche: […], contrat-concession: […]}}`. */
function contractsIn(file: unknown): JsonObject[] {
  const object = asObject(file)
  return object ? Object.values(object).flatMap((list) => objectsOf(list)) : objectsOf(file)
}

/** Never throws. */
export function parseDecpAwards(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, (entry) => {
    if (Object.hasOwn(entry, 'marches')) return contractsIn(entry['marches']).flatMap(readNested)
    const isRow = Object.hasOwn(entry, 'acheteur_id') || Object.hasOwn(entry, 'datepublicationdonnees')
    return isRow ? readContract(entry, winnersOfRow(entry)) : readNested(entry)
  })
}
