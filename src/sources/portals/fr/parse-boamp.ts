// One record of the BOAMP dataset: an eForms notice as JSON inside, or one of the journal's national forms.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, NoticeReference, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { parseEforms } from '../../eforms/parse-eforms.ts'
import { parseJson } from '../../json.ts'
import { asObject, type JsonObject, member, textAt, textsAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { deadlineIn, instantIn, jsonAt, organizationOf, titleIn, uuidIn, wordIn } from '../../read-values.ts'
import { cleanField, cleanUrl } from '../../text.ts'
import { eformsRootOf } from '../../xml/xml-from-json.ts'
import { homeOf, readPublishedEntry, textsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'fr-boamp', profile: 'boamp', language: 'fr' })

/** `nature` of a record; the label decides where the code is another one. */
const natures: { readonly [nature: string]: FormType } = {
  appel_offre: 'competition',
  attribution: 'result',
  rectificatif: 'change',
  preinformation: 'planning',
  periodique: 'planning',
  qualification: 'competition',
  concours: 'competition',
  intention_conclure: 'dir-awa-pre',
  exante_volontaire: 'dir-awa-pre',
  modification: 'cont-modif',
}

const procedures: { readonly [category: string]: ProcedureType } = {
  ouvert: 'open',
  'procedure ouverte': 'open',
  restreint: 'restricted',
  'procedure restreinte': 'restricted',
  negocie: 'neg-w-call',
  'procedure negociee': 'neg-w-call',
  'dialogue competitif': 'comp-dial',
  dialogue_competitif: 'comp-dial',
  "partenariat d'innovation": 'innovation',
}

const contractNatures: { readonly [type: string]: string } = {
  travaux: 'works',
  fournitures: 'supplies',
  services: 'services',
}

/** `donnees` is JSON inside a string; what cannot be read there is left out, because the record stands without it. */
function contentOf(record: JsonObject): JsonObject {
  const content = member(record, 'donnees')
  if (typeof content !== 'string') return asObject(content) ?? {}
  try {
    return asObject(parseJson(content)) ?? {}
  } catch {
    return {}
  }
}

function formTypeOf(record: JsonObject): FormType {
  const label = `${textAt(record, 'nature') ?? ''} ${textAt(record, 'nature_libelle') ?? ''}`.toLowerCase()
  const known = wordIn(natures, member(record, 'nature'))
  if (known) return known
  if (/r[ée]sultat|attribution/.test(label)) return 'result'
  if (/rectificatif/.test(label)) return 'change'
  return /information|p[ée]riodique/.test(label) ? 'planning' : 'competition'
}

/** The national form in the content, and its body: the first of the form's parts that is an object. */
function bodyOf(content: JsonObject): { readonly form: JsonObject; readonly body: JsonObject } | undefined {
  for (const name of ['FNSimple', 'MAPA', 'FNS', 'DIVERS']) {
    const form = asObject(member(content, name))
    if (!form) continue
    const parts = ['initial', 'rectificatif', 'attribution', 'annulation'].map((part) => asObject(member(form, part)))
    return { form, body: parts.find((part) => part !== undefined) ?? {} }
  }
  return undefined
}

function isCancelled(record: JsonObject): boolean {
  const state = `${textAt(record, 'etat') ?? ''} ${textAt(record, 'nature') ?? ''} ${textAt(record, 'nature_libelle') ?? ''}`
  return /annul/i.test(state)
}

/** A deadline without an hour comes as midnight UTC; without that time it is read as the end of its day. */
function deadlineOf(record: JsonObject) {
  const text = textAt(record, 'datelimitereponse')
  return deadlineIn(text?.replace(/T00:00:00(?:\.0+)?(?:\+00:00|Z)$/, ''), home.zone)
}

function referencesOf(record: JsonObject, formType: FormType, cancelled: boolean): NoticeReference[] {
  const kind = formType === 'change' || cancelled ? 'changes' : formType === 'cont-modif' ? 'modifies' : 'previous'
  return textsAt(record, 'annonce_lie')
    .flatMap((text) => text.match(/(?<!\d)\d{2}-\d{1,7}(?!\d)/g) ?? [])
    .map((noticeId) => ({ kind, noticeId }))
}

function readRecord(record: JsonObject): Notice | Rejection {
  const id = cleanField(textAt(record, 'idweb'), 50)?.replace('_', '-')
  const content = contentOf(record)
  const formType = formTypeOf(record)
  const cancelled = isCancelled(record)
  const url = cleanUrl(textAt(record, 'url_avis')) ?? (id && `https://www.boamp.fr/pages/avis/?q=idweb:${id}`)
  const publicationDate = instantIn(textAt(record, 'dateparution'), home.zone)
  const eforms = asObject(member(content, 'EFORMS'))
  const root = eforms && eformsRootOf(eforms)
  const [part] = root ? parseEforms(root) : []
  if (id && part && 'notice' in part) {
    // The same notice, id and version as in the EU journal: only who published it, when and under which number is
    // BOAMP's.
    return compact<Notice>({
      ...compact<Notice>(part.notice),
      noticeKey: `${home.publisher}:${id}`,
      publisher: home.publisher,
      publicationDate: publicationDate ?? part.notice.publicationDate,
      isCancelled: part.notice.isCancelled ?? (cancelled || undefined),
      url: url ?? part.notice.url,
    })
  }
  const national = bodyOf(content)
  const body = national?.body
  const organization = member(national?.form, 'organisme')
  const text = textsOf(record)
  const isResult = formType === 'result'
  const winners = textsAt(record, 'titulaire')
    .map((name) => organizationOf({ name }, home.country))
    .filter((winner) => winner !== undefined)
  const procedure = text('procedure_categorise', 'procedure_libelle')
  return readPublishedEntry(home, {
    id,
    formType,
    noticeType: cleanField(text('nature'), 50) ?? 'avis',
    reference: cleanField(textAt(body, 'renseignements', 'idMarche'), 200),
    title: titleIn(text('objet'), home.language),
    description:
      textAt(body, 'natureMarche', 'description') ??
      textAt(body, 'caracteristiques', 'principales') ??
      textAt(body, 'description', 'objet'),
    deadline: isResult ? undefined : deadlineOf(record),
    buyer: {
      name: text('nomacheteur') ?? textAt(organization, 'nomOfficiel') ?? textAt(organization, 'acheteurPublic'),
      nationalId: textAt(organization, 'codeIdentificationNational') ?? textAt(organization, 'siret'),
      street: jsonAt(organization, '/adr/voie/nomvoie'),
      city: textAt(organization, 'ville') ?? jsonAt(organization, '/adr/ville'),
      postalCode: textAt(organization, 'cp') ?? jsonAt(organization, '/adr/cp'),
      email: jsonAt(organization, '/coord/mel') ?? jsonAt(body, '/communication/mailContact'),
      phone: jsonAt(organization, '/coord/tel') ?? jsonAt(body, '/communication/telContact'),
      url: jsonAt(organization, '/coord/url'),
    },
    cpv: [jsonAt(body, '/natureMarche/codeCPV'), jsonAt(body, '/description/CPV'), jsonAt(content, '/OBJET/CPV')],
    procedureType: wordIn(procedures, procedure) ?? wordIn(procedures, text('procedure_libelle')),
    nature: textsAt(record, 'type_marche').map((type) => wordIn(contractNatures, type))[0],
    lots:
      isResult && winners.length > 0
        ? [{ lotId: '1', cpvCodes: [], nutsCodes: [], result: { outcome: 'awarded', winners } }]
        : [],
    references: referencesOf(record, formType, cancelled),
    isCancelled: cancelled,
    documentsUrl: textAt(body, 'communication', 'urlDocConsul'),
    also: {
      id,
      noticeId: id,
      procedureId: uuidIn(text('contractfolderid')),
      publicationDate,
      buyerProfileUrl: cleanUrl(textAt(organization, 'urlProfilAcheteur')),
      procedureTypeNational: cleanField(text('procedure_libelle'), 200),
      url,
    },
  })
}

/** A record as `/records` and `/exports/json` give it. Never throws. */
export function parseBoamp(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readRecord)
}
