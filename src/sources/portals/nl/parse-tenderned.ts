// One publication of TenderNed in the members of its JSON service; eForms where the XML service delivers them.
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { readAnyDocument, readPortalNotice, readXmlDocument } from '../../read-portal-notice.ts'
import {
  cpvCodesIn,
  deadlineIn,
  descriptionIn,
  instantIn,
  jsonAt,
  nutsCodesIn,
  organizationOf,
  titleIn,
  wordIn,
} from '../../read-values.ts'
import { cleanField, cleanUrl } from '../../text.ts'
import { childNamed, descendantsNamed, pathNamed, textOf, type XmlElement } from '../../xml.ts'

const publisher = 'nl-tenderned'
const zone = 'Europe/Amsterdam'

/** Kinds of publication: vooraankondiging, aankondiging opdracht, gegunde opdracht, rectificatie, marktconsultatie … */
const formTypes: { readonly [code: string]: FormType } = {
  vak: 'planning',
  aao: 'competition',
  ago: 'result',
  rec: 'change',
  mac: 'consultation',
  vbe: 'competition',
  aaw: 'cont-modif',
}

const procedureTypes: { readonly [code: string]: string } = {
  ope: 'open',
  nop: 'open',
  nio: 'restricted',
  mop: 'neg-w-call',
  onm: 'neg-w-call',
  ozb: 'neg-wo-call',
  cgd: 'comp-dial',
  inp: 'innovation',
}

const contractNatures: { readonly [code: string]: string } = { w: 'works', l: 'supplies', d: 'services' }

/** A code of an object `{ code, omschrijving }`; some are the bare code. */
function codeAt(entry: JsonObject, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const code = textAt(entry, name, 'code') ?? textAt(entry, name)
    if (code !== undefined) return cleanField(code, 50)
  }
  return undefined
}

function readPublication(entry: JsonObject): Notice | Rejection {
  const id = cleanField(textAt(entry, 'publicatieId'), 50)
  const kind = codeAt(entry, 'aankondigingCode', 'typePublicatie')?.toLowerCase()
  const ended = ['isVroegtijdigeBeeindiging', 'isVroegtijdigBeeindigd'].some((name) => member(entry, name) === true)
  const formType = wordIn(formTypes, kind) ?? 'competition'
  // An end before its time carries the code of an award, and has no winner.
  const cancelled = ended || kind === 'vbe'
  const buyer = organizationOf(
    { name: textAt(entry, 'opdrachtgeverNaam') ?? textAt(entry, 'aanbestedendeDienstNaam') },
    'NL',
  )
  const cpvs = objectsOf(entry, 'cpvCodes')
  const main = cpvs.filter((code) => member(code, 'isHoofdOpdracht') === true)
  const deadline = kind === 'mac' ? textAt(entry, 'sluitingsDatumMarktconsultatie') : textAt(entry, 'sluitingsDatum')
  return readPortalNotice({
    id,
    publisher,
    profile: 'tenderned-tns-v2',
    noticeId: id,
    procedureId: cleanField(textAt(entry, 'kenmerk'), 50),
    internalReference: cleanField(textAt(entry, 'referentieNummer'), 200),
    formType: cancelled ? 'competition' : formType,
    noticeType: kind ?? 'publicatie',
    noticeSubtype: codeAt(entry, 'publicatiecode', 'publicatieCode'),
    language: 'nl',
    title: titleIn(textAt(entry, 'aanbestedingNaam'), 'nl'),
    description: descriptionIn(textAt(entry, 'opdrachtBeschrijving'), 'nl'),
    publicationDate: instantIn(textAt(entry, 'publicatieDatum'), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureType: wordIn(procedureTypes, codeAt(entry, 'procedureCode', 'procedure')),
    procedureTypeNational: cleanField(
      textAt(entry, 'procedureCode', 'omschrijving') ?? textAt(entry, 'procedure', 'omschrijving'),
      200,
    ),
    contractNature: wordIn(contractNatures, codeAt(entry, 'typeOpdrachtCode', 'typeOpdracht')),
    cpvCodes: cpvCodesIn(
      main.map((code) => textAt(code, 'code')),
      cpvs.map((code) => textAt(code, 'code')),
    ),
    nutsCodes: nutsCodesIn(objectsOf(entry, 'nutsCodes').map((code) => textAt(code, 'code'))),
    submissionDate: formType === 'result' ? undefined : deadlineIn(deadline, zone),
    isCancelled: cancelled || undefined,
    url:
      cleanUrl(textAt(jsonAt(entry, '/link'), 'href')) ??
      (id && `https://www.tenderned.nl/aankondigingen/overzicht/${id}`),
  })
}

/** An entry of the Atom feed of the newest publications. */
function readFeedEntry(root: XmlElement): Notice | Rejection {
  const entry = root.name === 'entry' ? root : [...descendantsNamed(root, 'entry')][0]
  const link = cleanUrl(childNamed(entry, 'link')?.attributes.get('href'))
  const id = /\/(\d{3,})(?:[/?#]|$)/.exec(link ?? '')?.[1]
  const content = textOf(childNamed(entry, 'content')) ?? textOf(childNamed(entry, 'summary')) ?? ''
  const buyer = organizationOf({ name: textOf(pathNamed(entry, 'author', 'name')) }, 'NL')
  return readPortalNotice({
    id,
    publisher,
    profile: 'tenderned-atom',
    noticeId: id,
    formType: /gegunde|gunning/i.test(content) ? 'result' : 'competition',
    noticeType: 'publicatie',
    language: 'nl',
    title: titleIn(textOf(childNamed(entry, 'title')), 'nl'),
    description: descriptionIn(content, 'nl'),
    publicationDate: instantIn(textOf(childNamed(entry, 'published')), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    cpvCodes: cpvCodesIn(/CPV:\s*([^|]{1,100})/i.exec(content)?.[1]),
    submissionDate: deadlineIn(/Sluitingsdatum:\s*(\d{2}-\d{2}-\d{4}(?:\s+\d{2}:\d{2})?)/i.exec(content)?.[1], zone),
    url: link,
  })
}

/** A publication in JSON, an eForms notice, or an entry of the feed. Never throws. */
export function parseTenderned(bytes: Uint8Array): ParsedPart[] {
  const head = Buffer.from(bytes.subarray(0, 2_000)).toString('latin1')
  if (/<(?:\w+:)?feed[\s>]|<(?:\w+:)?entry[\s>]/.test(head)) return readXmlDocument(bytes, readFeedEntry)
  return readAnyDocument(bytes, readPublication)
}
