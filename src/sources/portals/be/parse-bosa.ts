// One publication of the Belgian e-Procurement search.
import type { FormType, Notice, NoticeLot, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { type JsonObject, member, objectsOf, textAt, textsAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  instantIn,
  nutsCodesIn,
  organizationOf,
  tedNumberIn,
  textsByLanguage,
  uuidIn,
  wordIn,
} from '../../read-values.ts'
import { cleanField, descriptionLimit } from '../../text.ts'

const publisher = 'be-bosa'
const zone = 'Europe/Brussels'

const contractNatures: { readonly [nature: string]: string } = {
  works: 'works',
  supplies: 'supplies',
  services: 'services',
}

const procedureTypes: { readonly [type: string]: string } = {
  open: 'open',
  restricted: 'restricted',
  neg_w_call: 'neg-w-call',
  'neg-w-call': 'neg-w-call',
  neg_wo_call: 'neg-wo-call',
  'neg-wo-call': 'neg-wo-call',
  comp_dial: 'comp-dial',
  'comp-dial': 'comp-dial',
  innovation: 'innovation',
}

/** eForms subtypes; E1 to E6 are those below the thresholds. */
function formTypeOf(subtype: string | undefined): FormType {
  if (subtype === 'E1') return 'consultation'
  if (subtype === 'E2') return 'planning'
  if (subtype === 'E4') return 'result'
  if (subtype === 'E5') return 'completion'
  if (subtype === 'E6') return 'cont-modif'
  const number = Number(subtype)
  if (!Number.isInteger(number) || number < 1) return 'competition'
  if (number <= 9) return 'planning'
  if (number <= 24) return 'competition'
  if (number <= 28) return 'dir-awa-pre'
  return number <= 37 ? 'result' : 'cont-modif'
}

function readPublication(entry: JsonObject): Notice | Rejection {
  const workspace = cleanField(textAt(entry, 'publicationWorkspaceId'), 100)
  const notices = textsAt(entry, 'noticeIds')
    .map((id) => uuidIn(id))
    .filter((id) => id !== undefined)
  const noticeId = notices.at(-1)
  const subtype = cleanField(textAt(entry, 'noticeSubType'), 20)
  const formType = formTypeOf(subtype)
  const declared = textsAt(entry, 'publicationLanguages')[0]?.toLowerCase()
  const language = declared && /^[a-z]{2}$/.test(declared) ? declared : 'nl'
  const dossier = member(entry, 'dossier')
  const published = textAt(entry, 'publicationDate') ?? textsAt(entry, 'publishedAt').at(-1)
  const names = textsByLanguage(member(entry, 'organisation', 'organisationNames'), language, 1_000)
  const buyer = organizationOf(
    { name: names && Object.values(names)[0], nationalId: textAt(entry, 'organisation', 'organisationId') },
    'BE',
  )
  const tedNumbers = textsAt(entry, 'publicationReferenceNumbersTED')
    .map((number) => tedNumberIn(number))
    .filter((number) => number !== undefined)
  const deadline = deadlineIn(textAt(entry, 'vaultSubmissionDeadline'), zone)
  const procedure = textAt(dossier, 'procurementProcedureType')
  const lots = objectsOf(entry, 'lots').map((lot, index) =>
    compact<NoticeLot>({
      lotId: cleanField(textAt(lot, 'number') ?? textAt(lot, 'lotNumber'), 50) ?? String(index + 1),
      title: textsByLanguage(member(lot, 'titles'), language),
      description: textsByLanguage(member(lot, 'descriptions'), language, descriptionLimit),
      cpvCodes: cpvCodesIn(textAt(lot, 'cpvMainCode', 'code')),
      nutsCodes: [],
    }),
  )
  const isCancelled = textAt(entry, 'cancelledAt') !== undefined
  // A workspace holds a procedure's announcements one after the other.
  const id = noticeId ?? (workspace && `${workspace}@${published ?? ''}`)
  return readPortalNotice({
    // a withdrawal changes the entry in place, and is an announcement of its own
    id: isCancelled && id ? `${id}/cancelled` : id,
    publisher,
    profile: 'bosa-search-publications',
    noticeId,
    publicationNumber: tedNumbers.at(-1),
    procedureId: uuidIn(textAt(entry, 'procedureId')) ?? workspace,
    internalReference: cleanField(textAt(entry, 'referenceNumber') ?? textAt(dossier, 'referenceNumber'), 200),
    formType,
    noticeType: cleanField(textAt(entry, 'publicationType'), 100) ?? 'publication',
    noticeSubtype: subtype,
    legalBasis: cleanField(textAt(dossier, 'legalBasis'), 50),
    language,
    title: textsByLanguage(member(dossier, 'titles'), language),
    description: textsByLanguage(member(dossier, 'descriptions'), language, descriptionLimit),
    publicationDate: instantIn(published, zone),
    dispatchDate: instantIn(textAt(entry, 'dispatchDate'), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureType: wordIn(procedureTypes, procedure),
    procedureTypeNational: cleanField(procedure, 100),
    contractNature: textsAt(entry, 'natures').map((nature) => wordIn(contractNatures, nature))[0],
    cpvCodes: cpvCodesIn(
      textAt(entry, 'cpvMainCode', 'code'),
      objectsOf(entry, 'cpvAdditionalCodes').map((code) => textAt(code, 'code')),
    ),
    nutsCodes: nutsCodesIn(textsAt(entry, 'nutsCodes')),
    submissionDate: formType === 'competition' ? deadline : undefined,
    lots,
    isCancelled: isCancelled || undefined,
    url:
      workspace && `https://www.publicprocurement.be/publication-workspaces/${encodeURIComponent(workspace)}/general`,
  })
}

/** Never throws. */
export function parseBosa(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readPublication)
}
