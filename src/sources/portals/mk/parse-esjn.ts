// A row of ESJN's table of notices to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import { member } from '../../ocds/json.ts'
import { wordIn } from '../../read-values.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'mk-esjn', profile: 'esjn-grid', language: 'mk', currency: 'MKD' })

const natures = { goods: 'supplies', works: 'works', services: 'services' } as const
const procedures: { readonly [name: string]: ProcedureType } = {
  open: 'open',
  openprocedure: 'open',
  simplifiedopen: 'open',
  simplifiedopenprocedure: 'open',
  lowestimatedvalueprocedure: 'open',
  restricted: 'restricted',
  restrictedprocedure: 'restricted',
  competitivenegotiated: 'neg-w-call',
  procedurefortalkingwithpreviousannouncement: 'neg-w-call',
  procedurefortalkingwithoutpreviousannouncement: 'neg-wo-call',
  competitivedialogue: 'comp-dial',
  innovationpartnership: 'innovation',
}

export const parseEsjn = jsonParser(home, (entry, text) => {
  const id = text('Id')
  const procedure = text('EntityProcedureType')
  return {
    id,
    formType: 'competition',
    noticeType: procedure ?? 'notice',
    procedureId: id,
    reference: text('ProcessNumber'),
    title: text('Subject'),
    publishedAt: member(entry, 'AnnouncementDate'),
    deadline: member(entry, 'FinalDay'),
    buyer: { name: text('ContractingInstitutionName') },
    procedureType: wordIn(procedures, procedure?.replace(/\s+/g, '')),
    nationalProcedure: procedure,
    nature: wordIn(natures, text('GoodsWorksServices')),
    url:
      id &&
      `https://e-nabavki.gov.mk/PublicAccess/home.aspx#/dossie/${encodeURIComponent(id)}/${text('ProcedureType') ?? '1'}`,
  }
})
