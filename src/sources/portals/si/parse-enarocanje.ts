// A form of Slovenia's procurement portal, its row of the list beside it, to a notice.
import { asObject, member, numberAt, objectsOf, textAt } from '../../ocds/json.ts'
import { firstMatch, homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'si-enarocanje', profile: 'enarocanje-obrazec', language: 'sl', currency: 'EUR' })

const forms = {
  result: /^Rezultat/i,
  'cont-modif': /^Sprememba pogodbe|^Sprememba/i,
  planning: /^(?:Predhodn|Načrt|Najava)/i,
}

export const parseEnarocanje = jsonParser(home, (document) => {
  const row = asObject(document['entry']) ?? document
  const form = asObject(document['detail']) ?? document
  const formId = textAt(row, 'idObrazec')
  // JN005453/2026-SL3/01-P03: procedure, form, and the third correction of it.
  const number = textAt(row, 'objavaIdent')?.trim()
  const correction = /-P(\d+)$/.exec(number ?? '')?.[1]
  const formType = firstMatch(forms, textAt(row, 'sifPostopekFazaNaziv')) ?? 'competition'
  const value = [member(form, 'vrednostSkupna'), member(form, 'vrednostOcenjenaBrezDDV')].find(
    (amount) => (numberAt(amount) ?? 0) > 0,
  )
  const winners = objectsOf(form, 'obrazecOddaja').flatMap((award) =>
    objectsOf(award, 'obrazecOddajaSubjekt').map((winner) => ({ name: textAt(winner, 'naziv') })),
  )
  return {
    id: number?.replace(/-P\d+$/, ''),
    version: correction ?? '0',
    formType,
    noticeType: textAt(row, 'sifObrazecOznaka'),
    procedureId: textAt(row, 'idDosje') ?? number?.split('-')[0],
    reference: number?.split('-')[0],
    title: textAt(row, 'naslov'),
    description: textAt(form, 'kratekOpis'),
    publishedAt: textAt(row, 'objavaDejanskaDatum'),
    deadline: formType === 'competition' ? textAt(form, 'datumDoPonudba') : undefined,
    buyer: { name: textAt(row, 'narocnikNaziv'), nationalId: textAt(row, 'narocnikMaticna') },
    estimatedValue: formType === 'result' ? undefined : value,
    awardedValue: formType === 'result' ? value : undefined,
    winners: formType === 'result' ? winners : [],
    changeReasons: correction === undefined ? undefined : ['update-add'],
    url: formId && `https://www.enarocanje.si/#/pregled-objav/${encodeURIComponent(formId)}`,
  }
})
