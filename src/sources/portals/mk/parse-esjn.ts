// A row of ESJN's table of notices to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'mk-esjn',
  profile: 'esjn-grid',
  language: 'mk',
  zone: 'Europe/Skopje',
  country: 'MK',
  currency: 'MKD',
}

const natures = { goods: 'supplies', works: 'works', services: 'services' } as const
const procedures: { readonly [name: string]: ProcedureType } = {
  open: 'open',
  openprocedure: 'open',
  simplifiedopen: 'open',
  lowestimatedvalueprocedure: 'open',
  restricted: 'restricted',
  restrictedprocedure: 'restricted',
  competitivenegotiated: 'neg-w-call',
  competitivedialogue: 'comp-dial',
  innovationpartnership: 'innovation',
}

export function parseEsjn(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const id = textAt(entry, 'Id')
  const procedure = textAt(entry, 'EntityProcedureType')
  return readPublishedEntry(home, {
    id,
    formType: 'competition',
    noticeType: procedure ?? 'notice',
    procedureId: id,
    reference: textAt(entry, 'ProcessNumber'),
    title: textAt(entry, 'Subject'),
    publishedAt: member(entry, 'AnnouncementDate'),
    deadline: member(entry, 'FinalDay'),
    buyer: { name: textAt(entry, 'ContractingInstitutionName') },
    procedureType: wordIn(procedures, procedure?.replace(/\s+/g, '')),
    nationalProcedure: procedure,
    nature: wordIn(natures, textAt(entry, 'GoodsWorksServices')),
    url:
      id &&
      `https://e-nabavki.gov.mk/PublicAccess/home.aspx#/dossie/${encodeURIComponent(id)}/${textAt(entry, 'ProcedureType') ?? '1'}`,
  })
}
