// One row of the DECP dataset in the format of 2022: a contract that was awarded, its parties named by their numbers.
import type { LotResult, Notice, Organization, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
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

function readRow(row: JsonObject): Notice | Rejection {
  const buyerId = cleanField(textAt(row, 'acheteur_id'), 50)
  const id = cleanField(textAt(row, 'id'), 100)
  const buyer = partyOf(buyerId, textAt(row, 'acheteur_nom'), 'SIRET')
  const winners = ['1', '2', '3']
    .map((index) =>
      partyOf(
        textAt(row, `titulaire_id_${index}`),
        textAt(row, `titulaire_denominationsociale_${index}`),
        textAt(row, `titulaire_typeidentifiant_${index}`),
      ),
    )
    .filter((winner) => winner !== undefined)
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

/** Never throws. */
export function parseDecpAwards(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readRow)
}
