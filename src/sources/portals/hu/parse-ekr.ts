// A notice of EKR's public site to a notice; list and detail have the same members.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { FormType, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'hu-ekr',
  profile: 'ekr-hirdetmeny',
  language: 'hu',
  zone: 'Europe/Budapest',
  country: 'HU',
  currency: 'HUF',
}

export function parseEkr(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const kind = textAt(entry, 'hirdetmenyTipusa')
  const formType = formOf(kind ?? '')
  const procedure = textAt(entry, 'eljarasEljarasTipusa')
  const winners = (textAt(entry, 'eljarasNyertesAjanlattevoNeve') ?? '')
    .split(/\s*[;|]\s*/)
    .filter((name) => name !== '')
  return readPublishedEntry(home, {
    id: textAt(entry, 'id'),
    formType,
    noticeType: kind,
    procedureId: textAt(entry, 'eljarasTechnikaiAzonosito') ?? textAt(entry, 'hirdetmenyEKRazonosito')?.split('/')[0],
    reference: textAt(entry, 'hirdetmenyEKRazonosito'),
    journal: textAt(entry, 'tedAzonosito'),
    title: textAt(entry, 'eljarasTargya'),
    publishedAt: textAt(entry, 'hirdetmenyKozzetetelDatuma'),
    deadline: formType === 'competition' ? textAt(entry, 'eljarasAjanlatteteliHatarido') : undefined,
    // Names of joint buyers begin with dashes and tabs.
    buyer: { name: textAt(entry, 'ajanlatkeroNeve')?.replace(/^[-\s]+/, '') },
    cpv: member(entry, 'eljarasCPVkod'),
    nuts: textAt(entry, 'eljarasTeljesitesHelye'),
    procedureType: procedureOf(procedure),
    nationalProcedure: procedure,
    nature: natureOf(textAt(entry, 'eljarasBeszerzesTargya')),
    outcome: formType === 'result' ? (winners.length > 0 ? 'awarded' : undefined) : undefined,
    winners: formType === 'result' ? winners.map((name) => ({ name })) : [],
    changeReasons: changesOf(kind ?? ''),
    isCancelled: /visszavon/i.test(kind ?? ''),
    url: textAt(entry, 'id') && `https://ekr.gov.hu/portal/kozbeszerzes/hirdetmenyek/${textAt(entry, 'id')}/reszletek`,
  })
}

/** By the words of the type: `Nemzeti, Ajánlati felhívás`, `Uniós, Tájékoztató az eljárás eredményéről`. */
function formOf(kind: string): FormType {
  if (/szerződés\s+módosítás|szerződésmódosítás/i.test(kind)) return 'cont-modif'
  if (/eredmény/i.test(kind)) return 'result'
  if (/előzetes|összesített/i.test(kind) && !/felhívás/i.test(kind)) return 'planning'
  return 'competition'
}

function changesOf(kind: string): readonly string[] | undefined {
  if (/visszavon/i.test(kind)) return ['cancel']
  return formOf(kind) === 'competition' && /módosít|korrigendum|helyesbít/i.test(kind) ? ['update-add'] : undefined
}

function procedureOf(procedure: string | undefined): ProcedureType | undefined {
  if (procedure === undefined) return undefined
  if (/hirdetmény nélküli tárgyalásos/i.test(procedure)) return 'neg-wo-call'
  if (/nyílt/i.test(procedure)) return 'open'
  if (/meghívásos/i.test(procedure)) return 'restricted'
  if (/tárgyalásos/i.test(procedure)) return 'neg-w-call'
  if (/versenypárbeszéd/i.test(procedure)) return 'comp-dial'
  return /innovációs/i.test(procedure) ? 'innovation' : undefined
}

function natureOf(subject: string | undefined): string | undefined {
  if (subject === undefined) return undefined
  if (/építési/i.test(subject)) return 'works'
  if (/árubeszerzés/i.test(subject)) return 'supplies'
  return /szolgáltatás/i.test(subject) ? 'services' : undefined
}
