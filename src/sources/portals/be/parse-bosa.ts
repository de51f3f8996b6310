// One publication of the Belgian e-Procurement search.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { NoticeLot } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { member, objectsOf, textAt, textsAt } from '../../ocds/json.ts'
import { cpvCodesIn, formTypeOfSubtype, tedNumberIn, textsByLanguage, uuidIn, wordIn } from '../../read-values.ts'
import { cleanField, descriptionLimit } from '../../text.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'be-bosa', profile: 'bosa-search-publications', language: 'nl' })

const contractNatures: { readonly [nature: string]: string } = {
  works: 'works',
  supplies: 'supplies',
  services: 'services',
}

const procedureTypes: { readonly [type: string]: ProcedureType } = {
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

export const parseBosa = jsonParser(home, (entry, text) => {
  const workspace = cleanField(text('publicationWorkspaceId'), 100)
  const noticeId = lastOf(textsAt(entry, 'noticeIds').map((id) => uuidIn(id)))
  const subtype = cleanField(text('noticeSubType'), 20)
  const formType = formTypeOfSubtype(subtype) ?? 'competition'
  const declared = textsAt(entry, 'publicationLanguages')[0]?.toLowerCase()
  const language = declared && /^[a-z]{2}$/.test(declared) ? declared : home.language
  const dossier = member(entry, 'dossier')
  const published = text('publicationDate') ?? textsAt(entry, 'publishedAt').at(-1)
  const names = textsByLanguage(member(entry, 'organisation', 'organisationNames'), language, 1_000)
  const procedure = text('dossier/procurementProcedureType')
  const lots = objectsOf(entry, 'lots').map((lot, index) =>
    compact<NoticeLot>({
      lotId: cleanField(textAt(lot, 'number') ?? textAt(lot, 'lotNumber'), 50) ?? String(index + 1),
      title: textsByLanguage(member(lot, 'titles'), language),
      description: textsByLanguage(member(lot, 'descriptions'), language, descriptionLimit),
      cpvCodes: cpvCodesIn(textAt(lot, 'cpvMainCode', 'code')),
      nutsCodes: [],
    }),
  )
  const isCancelled = text('cancelledAt') !== undefined
  // A workspace holds a procedure's announcements one after the other.
  const id = noticeId ?? (workspace && `${workspace}@${published ?? ''}`)
  return {
    id,
    formType,
    noticeType: cleanField(text('publicationType'), 100) ?? 'publication',
    noticeSubtype: subtype,
    reference: cleanField(text('referenceNumber', 'dossier/referenceNumber'), 200),
    language,
    title: textsByLanguage(member(dossier, 'titles'), language),
    description: textsByLanguage(member(dossier, 'descriptions'), language, descriptionLimit),
    publishedAt: published,
    changedAt: text('dispatchDate'),
    deadline: formType === 'competition' ? text('vaultSubmissionDeadline') : undefined,
    buyer: { name: names && Object.values(names)[0], nationalId: text('organisation/organisationId') },
    cpv: [text('cpvMainCode/code'), objectsOf(entry, 'cpvAdditionalCodes').map((code) => textAt(code, 'code'))],
    nuts: textsAt(entry, 'nutsCodes'),
    procedureType: wordIn(procedureTypes, procedure),
    nature: textsAt(entry, 'natures').map((nature) => wordIn(contractNatures, nature))[0],
    lots,
    isCancelled,
    url:
      workspace && `https://www.publicprocurement.be/publication-workspaces/${encodeURIComponent(workspace)}/general`,
    also: {
      // A withdrawal changes the entry in place, and is a separate announcement.
      id: isCancelled && id ? `${id}/cancelled` : id,
      noticeId,
      publicationNumber: lastOf(textsAt(entry, 'publicationReferenceNumbersTED').map((number) => tedNumberIn(number))),
      procedureId: uuidIn(text('procedureId')) ?? workspace,
      procedureTypeNational: cleanField(procedure, 100),
      legalBasis: cleanField(text('dossier/legalBasis'), 50),
    },
  }
})

const lastOf = <T>(values: readonly (T | undefined)[]): T | undefined => values.findLast((value) => value !== undefined)
