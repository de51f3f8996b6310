// A notice of EKR's public site to a notice; list and detail have the same members.
import { member } from '../../ocds/json.ts'
import { firstMatch, homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'hu-ekr', profile: 'ekr-hirdetmeny', language: 'hu', currency: 'HUF' })

/** By the words of the type: `Nemzeti, Ajánlati felhívás`, `Uniós, Tájékoztató az eljárás eredményéről`. */
const forms = {
  'cont-modif': /szerződés\s+módosítás|szerződésmódosítás/i,
  result: /eredmény/i,
  planning: /^(?!.*felhívás).*(?:előzetes|összesített)/is,
}

const procedures = {
  'neg-wo-call': /hirdetmény nélküli tárgyalásos/i,
  open: /nyílt/i,
  restricted: /meghívásos/i,
  'neg-w-call': /tárgyalásos/i,
  'comp-dial': /versenypárbeszéd/i,
  innovation: /innovációs/i,
}

const natures = { works: /építési/i, supplies: /árubeszerzés/i, services: /szolgáltatás/i }

export const parseEkr = jsonParser(home, (entry, text) => {
  const kind = text('hirdetmenyTipusa')
  const formType = firstMatch(forms, kind) ?? 'competition'
  const isCancelled = /visszavon/i.test(kind ?? '')
  const isChanged = formType === 'competition' && /módosít|korrigendum|helyesbít/i.test(kind ?? '')
  const procedure = text('eljarasEljarasTipusa')
  const winners = (text('eljarasNyertesAjanlattevoNeve') ?? '').split(/\s*[;|]\s*/).filter((name) => name !== '')
  return {
    id: text('id'),
    formType,
    noticeType: kind,
    procedureId: text('eljarasTechnikaiAzonosito') ?? text('hirdetmenyEKRazonosito')?.split('/')[0],
    reference: text('hirdetmenyEKRazonosito'),
    journal: text('tedAzonosito'),
    title: text('eljarasTargya'),
    publishedAt: text('hirdetmenyKozzetetelDatuma'),
    deadline: formType === 'competition' ? text('eljarasAjanlatteteliHatarido') : undefined,
    // Names of joint buyers begin with dashes and tabs.
    buyer: { name: text('ajanlatkeroNeve')?.replace(/^[-\s]+/, '') },
    cpv: member(entry, 'eljarasCPVkod'),
    nuts: text('eljarasTeljesitesHelye'),
    procedureType: firstMatch(procedures, procedure),
    nationalProcedure: procedure,
    nature: firstMatch(natures, text('eljarasBeszerzesTargya')),
    outcome: formType === 'result' && winners.length > 0 ? 'awarded' : undefined,
    winners: formType === 'result' ? winners.map((name) => ({ name })) : [],
    changeReasons: isCancelled ? ['cancel'] : isChanged ? ['update-add'] : undefined,
    isCancelled,
    url: text('id') && `https://ekr.gov.hu/portal/kozbeszerzes/hirdetmenyek/${text('id')}/reszletek`,
  }
})
