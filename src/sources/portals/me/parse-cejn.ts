// A tender of CeJN with its rounds to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import { asObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { wordIn } from '../../read-values.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'me-cejn', profile: 'cejn-tenders', language: 'sr', currency: 'EUR' })

const natures = { goods: 'supplies', works: 'works', services: 'services' } as const
const procedures: { readonly [name: string]: ProcedureType } = {
  'open procedure': 'open',
  'restricted procedure': 'restricted',
  'competitive dialogue': 'comp-dial',
  'competitive procedure with negotiation': 'neg-w-call',
  'negotiation procedure with prior publication': 'neg-w-call',
  'negotiation procedure without prior publication': 'neg-wo-call',
  'negotiation procedure without prior': 'neg-wo-call',
  'partnership for innovation': 'innovation',
}

export const parseCejn = jsonParser(home, (document) => {
  const entry = asObject(document['entry']) ?? document
  const detail = member(document, 'detail')
  const id = textAt(entry, 'id')
  const state = textAt(entry, 'lifecycleCaption') ?? ''
  const procedure = textAt(entry, 'typeOfProcedureCaption')
  const isCancelled = /poništen/i.test(state)
  const isResult = /dodijeljen|ugovor|završen|okončan/i.test(state)
  // If there are several rounds, the last one counts.
  const deadline = [...objectsOf(detail, 'value'), ...objectsOf(detail)]
    .map((round) => textAt(round, 'endOfSubmissions'))
    .filter((date) => date !== undefined)
    .sort()
    .at(-1)
  return {
    id: id && (isResult ? `${id}/result` : isCancelled ? `${id}/cancelled` : id),
    formType: isResult ? 'result' : 'competition',
    noticeType: state || 'tender',
    procedureId: id,
    title: textAt(entry, 'title'),
    publishedAt: textAt(entry, 'publishDate') ?? textAt(entry, 'createdDate'),
    deadline,
    buyer: { name: textAt(entry, 'contractAuthority') },
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: wordIn(natures, textAt(entry, 'typeOfContractCaption')),
    isFramework: /framework/i.test(procedure ?? '') || undefined,
    isCancelled,
    url: id && `https://cejn.gov.me/tenders/view-tender/${encodeURIComponent(id)}`,
  }
})
