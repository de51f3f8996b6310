// A row of Cyprus's table of awarded contracts to a notice of that award.
import type { ProcedureType } from '../../../domain/codes.ts'
import { wordIn } from '../../read-values.ts'
import { firstMatch, homeOf, rowParser, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'cy-awarded-contracts', profile: 'cy-cfts-awarded', language: 'el', currency: 'EUR' })

const natures = { works: /έργα/i, supplies: /προμήθειες/i, services: /υπηρεσίες/i }

const procedures: { readonly [word: string]: ProcedureType } = {
  'ανοικτη διαδικασια': 'open',
  ανοικτη: 'open',
  'κλειστη διαδικασια': 'restricted',
  κλειστη: 'restricted',
  'διαδικασια με διαπραγματευση χωρις προηγουμενη δημοσιευση': 'neg-wo-call',
  'διαπραγματευση χωρις προηγουμενη δημοσιευση': 'neg-wo-call',
  'ανταγωνιστικη διαδικασια με διαπραγματευση': 'neg-w-call',
  'ανταγωνιστικος διαλογος': 'comp-dial',
}

export const parseAwardedContracts = rowParser(home, (row) => {
  const tenderId = wordsOf(row['CFTID'])
  const winner = wordsOf(row['EONAME']) ?? wordsOf(row['EONAMES'])
  const procedure = row['Procedure El']
  return {
    // Several contracts of one tender differ by winner.
    id: tenderId && (winner === undefined ? tenderId : `${tenderId}/${winner.toLowerCase().slice(0, 120)}`),
    formType: 'result',
    noticeType: 'award',
    procedureId: tenderId,
    reference: row['CfT CA Unique ID'],
    title: row['CFTTITLE'],
    publishedAt: row['AWARDDATE']?.trim() ? row['AWARDDATE'] : row['Date Published'],
    buyer: { name: row['ORGANIZATIONNAME'] },
    cpv: row['CPVCODES'],
    nuts: 'CY000',
    estimatedValue: row['Estimated Value'],
    awardedValue: row['AWARDEDCONTRVALUE'],
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: firstMatch(natures, row['Contract Type El']),
    outcome: 'awarded',
    winners: winner === undefined ? [] : [{ name: winner }],
    contractDate: row['AWARDDATE'],
    url:
      tenderId &&
      `https://www.eprocurement.gov.cy/epps/cft/prepareViewCfTWS.do?resourceId=${encodeURIComponent(tenderId)}`,
  }
})
