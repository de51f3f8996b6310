// One publication of TenderNed in the members of its JSON service; eForms where the XML service delivers them.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, ParsedPart } from '../../../domain/notice.ts'
import { type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { readAnyDocument } from '../../read-portal-notice.ts'
import { titleIn, wordIn } from '../../read-values.ts'
import { cleanField, cleanUrl } from '../../text.ts'
import { childNamed, descendantsNamed, pathNamed, textOf } from '../../xml/xml.ts'
import { homeOf, jsonParser, xmlParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'nl-tenderned', profile: 'tenderned-tns-v2', language: 'nl' })

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

const procedureTypes: { readonly [code: string]: ProcedureType } = {
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

const readPublication = jsonParser(home, (entry, text) => {
  const id = cleanField(text('publicatieId'), 50)
  const kind = codeAt(entry, 'aankondigingCode', 'typePublicatie')?.toLowerCase()
  const ended = ['isVroegtijdigeBeeindiging', 'isVroegtijdigBeeindigd'].some((name) => member(entry, name) === true)
  const formType = wordIn(formTypes, kind) ?? 'competition'
  // An end before its time carries the code of an award, and has no winner.
  const isCancelled = ended || kind === 'vbe'
  const cpvs = objectsOf(entry, 'cpvCodes')
  const main = cpvs.filter((code) => member(code, 'isHoofdOpdracht') === true)
  const deadline = kind === 'mac' ? text('sluitingsDatumMarktconsultatie') : text('sluitingsDatum')
  return {
    id,
    formType: isCancelled ? 'competition' : formType,
    noticeType: kind ?? 'publicatie',
    noticeSubtype: codeAt(entry, 'publicatiecode', 'publicatieCode'),
    reference: cleanField(text('referentieNummer'), 200),
    title: titleIn(text('aanbestedingNaam'), home.language),
    description: text('opdrachtBeschrijving'),
    publishedAt: text('publicatieDatum'),
    deadline: formType === 'result' ? undefined : deadline,
    buyer: { name: text('opdrachtgeverNaam', 'aanbestedendeDienstNaam') },
    cpv: [...main, ...cpvs].map((code) => textAt(code, 'code')),
    nuts: objectsOf(entry, 'nutsCodes').map((code) => textAt(code, 'code')),
    procedureType: wordIn(procedureTypes, codeAt(entry, 'procedureCode', 'procedure')),
    nature: wordIn(contractNatures, codeAt(entry, 'typeOpdrachtCode', 'typeOpdracht')),
    isCancelled,
    url: cleanUrl(text('link/href')) ?? (id && `https://www.tenderned.nl/aankondigingen/overzicht/${id}`),
    also: {
      id,
      noticeId: id,
      procedureId: cleanField(text('kenmerk'), 50),
      procedureTypeNational: cleanField(text('procedureCode/omschrijving', 'procedure/omschrijving'), 200),
    },
  }
})

/** An entry of the Atom feed of the newest publications. */
const readFeedEntry = xmlParser({ ...home, profile: 'tenderned-atom' }, (root) => {
  const entry = root.name === 'entry' ? root : [...descendantsNamed(root, 'entry')][0]
  const link = cleanUrl(childNamed(entry, 'link')?.attributes.get('href'))
  const id = /\/(\d{3,})(?:[/?#]|$)/.exec(link ?? '')?.[1]
  const content = textOf(childNamed(entry, 'content')) ?? textOf(childNamed(entry, 'summary')) ?? ''
  return {
    id,
    formType: /gegunde|gunning/i.test(content) ? 'result' : 'competition',
    noticeType: 'publicatie',
    title: titleIn(textOf(childNamed(entry, 'title')), home.language),
    description: content,
    publishedAt: textOf(childNamed(entry, 'published')),
    deadline: /Sluitingsdatum:\s*(\d{2}-\d{2}-\d{4}(?:\s+\d{2}:\d{2})?)/i.exec(content)?.[1],
    buyer: { name: textOf(pathNamed(entry, 'author', 'name')) },
    cpv: /CPV:\s*([^|]{1,100})/i.exec(content)?.[1],
    url: link,
    also: { id },
  }
})

/** A publication in JSON, an eForms notice, or an entry of the feed. Never throws. */
export function parseTenderned(bytes: Uint8Array): ParsedPart[] {
  const head = Buffer.from(bytes.subarray(0, 2_000)).toString('latin1')
  if (/<(?:\w+:)?feed[\s>]|<(?:\w+:)?entry[\s>]/.test(head)) return readFeedEntry(bytes)
  return readAnyDocument(bytes, readPublication)
}
