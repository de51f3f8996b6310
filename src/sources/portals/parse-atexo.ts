// One consultation of an Atexo platform (LOCAL TRUST MPE): PLACE in France, the Portail des marchés publics in Luxembourg.
import type { Notice, ParsedPart, Rejection } from '../../domain/notice.ts'
import type { Instant } from '../../domain/time.ts'
import { type JsonObject, member, textAt, textsAt } from '../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../read-portal-notice.ts'
import { cpvCodesIn, deadlineIn, descriptionIn, instantIn, moneyIn, organizationOf, titleIn } from '../read-values.ts'
import { cleanField, cleanUrl } from '../text.ts'

type Home = { readonly publisher: string; readonly zone: string; readonly country: string }

/** Years from 2050 on stand for "no deadline". */
function realDeadline(deadline: Instant | undefined): Instant | undefined {
  return deadline !== undefined && deadline < '2050' ? deadline : undefined
}

function natureOf(label: string | undefined): string | undefined {
  if (!label) return undefined
  if (/travaux/i.test(label)) return 'works'
  if (/fourniture/i.test(label)) return 'supplies'
  return /service/i.test(label) ? 'services' : undefined
}

function procedureTypeOf(label: string | undefined): string | undefined {
  if (!label) return undefined
  if (/sans (?:publi|mise en concurrence)/i.test(label)) return 'neg-wo-call'
  if (/dialogue/i.test(label)) return 'comp-dial'
  if (/innovation/i.test(label)) return 'innovation'
  if (/restreint/i.test(label)) return 'restricted'
  if (/n[ée]goci/i.test(label)) return 'neg-w-call'
  return /ouvert/i.test(label) ? 'open' : undefined
}

function readConsultation(entry: JsonObject, home: Home): Notice | Rejection {
  const id = cleanField(textAt(entry, 'id'), 50)
  const published = textAt(entry, 'dateMiseEnLigneCalcule') ?? textAt(entry, 'dateMiseEnLigne')
  const changed = textAt(entry, 'dateModification')
  const procedure = cleanField(textAt(entry, 'typeProcedureLibelle'), 200)
  const status = `${textAt(entry, 'statutCalculeLibelle') ?? ''} ${textAt(entry, 'typeAnnonceLibelle') ?? ''}`
  const buyer = organizationOf(
    { name: textAt(entry, 'organismeDenomination') ?? textAt(entry, 'directionServiceLibelle') },
    home.country,
  )
  const isAward = /attribution/i.test(status)
  const isPlanning = /information/i.test(status)
  const title = titleIn(textAt(entry, 'intitule') ?? textAt(entry, 'objet'), 'fr')
  const deadline = deadlineIn(
    textAt(entry, 'dateLimiteRemisePlis') ?? textAt(entry, 'dateLimiteRemiseOffres'),
    home.zone,
  )
  return readPortalNotice({
    // A consultation is changed in place: what changed shows in the date of change or in the deadline.
    id: id && `${id}@${changed ?? deadline ?? published ?? ''}`,
    publisher: home.publisher,
    profile: 'atexo-mpe-v2',
    noticeId: id,
    procedureId: id,
    internalReference: cleanField(textAt(entry, 'reference'), 200),
    formType: isAward ? 'result' : isPlanning ? 'planning' : 'competition',
    noticeType: cleanField(textAt(entry, 'typeAnnonceLibelle'), 100) ?? 'consultation',
    language: 'fr',
    title,
    description: descriptionIn(textAt(entry, 'objet'), 'fr'),
    publicationDate: instantIn(published, home.zone),
    dispatchDate: instantIn(changed, home.zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureType: procedureTypeOf(procedure),
    procedureTypeNational: procedure,
    contractNature: natureOf(textAt(entry, 'naturePrestationLibelle')),
    cpvCodes: cpvCodesIn(
      textAt(entry, 'codeCpvPrincipal'),
      textsAt(entry, 'codesCpvSecondaires'),
      ['1', '2', '3'].map((number) => textAt(entry, `codeCpvSecondaire${number}`)),
    ),
    estimatedValue: moneyIn(member(entry, 'valeurEstimee'), 'EUR'),
    submissionDate: realDeadline(deadline),
    isCancelled: /annul/i.test(status) ? true : undefined,
    url: cleanUrl(textAt(entry, 'urlConsultation')),
  })
}

/** The reader of one platform. It never throws. */
export function atexoReader(home: Home): (bytes: Uint8Array) => ParsedPart[] {
  return (bytes) => readJsonDocument(bytes, (entry) => readConsultation(entry, home))
}
