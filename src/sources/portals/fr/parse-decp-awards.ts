// An awarded contract of DECP: a row of the Ministry's dataset, or a `marche` of the consolidated files, in which
// parties are objects and each modification stands within its contract.
import { toCountry } from '../../../domain/codes.ts'
import type {
  LotResult,
  Notice,
  NoticeLot,
  Organization,
  ParsedPart,
  Place,
  Rejection,
} from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  durationIn,
  instantIn,
  moneyIn,
  organizationOf,
  titleIn,
  wordIn,
} from '../../read-values.ts'
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
  const kind = textAt(row, 'lieuexecution_typecode') ?? ''
  const code = cleanField(textAt(row, 'lieuexecution_code'), 20)
  if (code === undefined) return undefined
  if (/^code postal$/i.test(kind)) return { country: 'FR', postalCode: code }
  const country = /^code pays$/i.test(kind) ? toCountry(code) : /^code \S/i.test(kind) ? 'FR' : undefined
  return country === undefined ? undefined : { country }
}

/**
 * Whether the contract is a framework agreement. One concluded within a framework names the technique too, with the
 * number of the framework.
 */
function isFramework(row: JsonObject): boolean {
  if (cleanField(textAt(row, 'idaccordcadre'), 100) !== undefined) return false
  return /accord-cadre/i.test(JSON.stringify([member(row, 'nature'), member(row, 'techniques')]))
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
  const contractId = id && `${buyerId ?? ''}/${id}`
  const isModification = cleanField(textAt(row, 'idmodification'), 50) !== undefined
  return readPortalNotice({
    id: contractId && `${contractId}@${dayIn(published) ?? dayIn(notified) ?? ''}${textAt(row, 'again') ?? ''}`,
    publisher,
    profile: 'decp-2022',
    noticeId: isModification ? undefined : contractId?.toLowerCase(),
    references: isModification && contractId ? [{ kind: 'modifies', noticeId: contractId.toLowerCase() }] : [],
    internalReference: id,
    formType: isModification ? 'cont-modif' : 'result',
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
    isFramework: isFramework(row) || undefined,
    place: placeOf(row),
    lots: [
      compact<NoticeLot>({
        lotId: '1',
        cpvCodes: [],
        nutsCodes: [],
        duration: durationIn(member(row, 'dureemois'), 'mois'),
        result: compact<LotResult>({
          outcome: 'awarded',
          awardedValue: value,
          winners: winners.length > 0 ? winners : undefined,
          contractDate: dayIn(notified, zone),
          // A contract has at least one tender; zero stands for a number that is not known.
          receivedTenders: countIn(member(row, 'offresrecues')) || undefined,
        }),
      }),
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
    dureemois: member(contract, 'dureeMois'),
    techniques: member(contract, 'techniques'),
    idaccordcadre: member(contract, 'idAccordCadre'),
    montant: member(contract, 'montant') ?? member(contract, 'valeurGlobale'),
    offresrecues: member(contract, 'offresRecues'),
    datenotification: textAt(contract, 'dateNotification') ?? textAt(contract, 'dateSignature'),
    datepublicationdonnees: member(contract, 'datePublicationDonnees'),
  }
}

/**
 * The contract as it was awarded, and then each of its modifications, which say only what they change: the rest is as
 * the modification before left it.
 */
function readNested(contract: JsonObject): (Notice | Rejection)[] {
  let row = rowOf(contract)
  let parties = partiesIn(member(contract, 'titulaires') ?? member(contract, 'concessionnaires'))
  const notices = [readContract(row, parties)]
  const publishedOn = new Set([dayIn(row['datepublicationdonnees'])])
  const changes = objectsOf(contract, 'modifications')
    .map((each) => asObject(member(each, 'modification')) ?? each)
    .map((change) => ({ change, notified: textAt(change, 'dateNotificationModification') }))
    .sort((a, b) => (dayIn(a.notified) ?? '').localeCompare(dayIn(b.notified) ?? ''))
  for (const [index, { change, notified }] of changes.entries()) {
    const number = textAt(change, 'id') ?? String(index + 1)
    const changed = partiesIn(member(change, 'titulaires'))
    if (changed.some((party) => party !== undefined)) parties = changed
    const published = textAt(change, 'datePublicationDonneesModification') ?? notified
    const day = dayIn(published)
    const known = row
    row = {
      ...row,
      idmodification: number,
      again: publishedOn.has(day) ? `/${number}` : undefined,
      montant: member(change, 'montant') ?? row['montant'],
      dureemois: member(change, 'dureeMois') ?? row['dureemois'],
      datenotification: notified ?? row['datenotification'],
      datepublicationdonnees: published,
    }
    publishedOn.add(day)
    notices.push(readContract(row, parties))
    // An amount that is none (1, or absurdly large) is not what the next modification leaves unchanged.
    if (moneyIn(row['montant'], 'EUR') === undefined) row = { ...row, montant: known['montant'] }
  }
  return notices
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
