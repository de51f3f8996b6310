// One hit of the search of udbud.dk: the id and version of an eForms notice, and its summary in Danish and English.
import { asObject, member, textsAt } from '../../ocds/json.ts'
import { deadlineIn, moneyIn, titleIn, uuidIn } from '../../read-values.ts'
import { cleanField } from '../../text.ts'
import { firstMatch, homeOf, jsonParser, textsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'dk-udbud', profile: 'udbud-soegeresultat', language: 'da', currency: 'DKK' })

/** BT-03 as the hit names it (`competition`, `result` …). */
const forms = {
  result: /result|tildeling/,
  'cont-modif': /modif|aendring/,
  completion: /complet|afslut/,
  'dir-awa-pre': /dir-awa|direkte/,
  consultation: /consult|dialog/,
  planning: /plan|prior|forhaand/,
}

export const parseUdbud = jsonParser(home, (hit, text) => {
  const data = asObject(member(hit, 'dataDa')) ?? asObject(member(hit, 'dataEn'))
  const said = textsOf(data)
  const id = cleanField(text('noticeId'), 100)?.toLowerCase()
  const version = cleanField(text('noticeVersion'), 10)
  const formType = firstMatch(forms, said('formulartypeKode')?.toLowerCase()) ?? 'competition'
  const isChange = member(data, 'erAendring') === true && formType === 'competition'
  const deadlines = textsAt(data, 'tidsfrister')
    .map((deadline) => deadlineIn(deadline, home.zone))
    .filter((deadline) => deadline !== undefined)
  const number = cleanField(text('noticePublicationNumber'), 50)
  const query = `noticeId=${encodeURIComponent(id ?? '')}&noticeVersion=${encodeURIComponent(version ?? '01')}`
  return {
    id,
    formType: isChange ? 'change' : formType,
    noticeType: cleanField(said('formulartypeKode'), 100) ?? 'udbud',
    noticeSubtype: cleanField(said('bkSubTypeKode'), 20),
    journal: number,
    title: titleIn(said('titel'), home.language),
    description: said('beskrivelse'),
    publishedAt: said('publiceringsdato'),
    deadline: formType === 'result' ? undefined : deadlines.sort()[0],
    buyer: { name: said('ordregiver'), nationalId: said('ordregiverId') },
    cpv: said('cpvKode'),
    isCancelled: /annul/i.test(said('formulartype') ?? ''),
    url:
      id &&
      `https://udbud.dk/detaljevisning?${query}${number ? `&noticePublicationNumber=${encodeURIComponent(number)}` : ''}`,
    also: {
      id: id && `${id}-${(version ?? '01').padStart(2, '0')}`,
      noticeId: uuidIn(id),
      noticeVersion: version,
      estimatedValue: moneyIn(member(data, 'anslaaetVaerdi'), said('anslaaetVaerdiValuta') ?? home.currency),
    },
  }
})
