// One entry of vergaben.llv.li, the national publication platform of Liechtenstein.
import { member } from '../../ocds/json.ts'
import { titleIn } from '../../read-values.ts'
import { cleanField } from '../../text.ts'
import { firstMatch, homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'li-vergaben', profile: 'llv-notice-find', language: 'de' })

const forms = {
  result: /vergeben|zuschlag|ergebnis/i,
  planning: /vorinformation/i,
  change: /berichtigung|änderung/i,
}

const contractNatures: { readonly [id: string]: string } = {
  '1': 'works',
  '2': 'supplies',
  '3': 'services',
  '4': 'services',
}

export const parseVergaben = jsonParser(home, (entry, text) => {
  const id = cleanField(text('id'), 50)
  const form = cleanField(text('formName'), 200) ?? ''
  const formType = firstMatch(forms, form) ?? 'competition'
  const changedAt = text('updatedAt')
  const deadline = formType === 'result' ? undefined : text('submitDeadline')
  return {
    id,
    formType,
    noticeType: form || 'bekanntmachung',
    reference: cleanField(text('documentNumber'), 100),
    title: titleIn(text('name', 'contractName'), home.language),
    description: text('contractDescription'),
    publishedAt: text('publicationDate', 'publishDate'),
    changedAt,
    deadline,
    buyer: { name: text('contAuthOfficialName') },
    cpv: [member(entry, 'cpvCode'), member(entry, 'cpvCodes')],
    nuts: text('nutsCode'),
    nature: contractNatures[text('contractTypeId') ?? ''],
    isCancelled: /widerruf|abbruch/i.test(`${form} ${text('statusName') ?? ''}`),
    also: {
      // A notice is changed in place, and becomes its own award: each state is a notice.
      id: id && `${id}@${changedAt ?? deadline ?? ''}/${formType}`,
      noticeId: id,
      url: id && `https://vergaben.llv.li/Detail/${id}`,
    },
  }
})
