// Made-up titles by somebody who did not write the tables: what they say first, and objects that sound like it.
import { expect, test } from 'vitest'
import { withNamedWinners } from '../../sources/winners.ts'
import type { LotResult, Notice } from '../notice.ts'
import { readAct } from './read-act.ts'

const notice = (language: string, title: string, result?: LotResult): Notice => ({
  noticeKey: 'made-up:1',
  publisher: 'made-up',
  format: 'portal',
  profile: 'made-up',
  noticeType: 'made-up',
  formType: 'competition',
  language,
  languages: [language],
  references: [],
  contractingAuthorities: [],
  cpvCodes: [],
  nutsCodes: [],
  lots: result === undefined ? [] : [{ lotId: '1', cpvCodes: [], nutsCodes: [], result }],
  title: { [language]: title },
})

test.each([
  ['fr', "Avis d'annulation : réfection de la toiture du gymnase", 'cancellation'],
  ['fr', 'Procédure déclarée sans suite – fourniture de mobilier', 'cancellation'],
  ['it', 'Revoca della gara per servizi di pulizia', 'cancellation'],
  ['it', 'Gara deserta: fornitura di arredi', 'cancellation'],
  ['es', 'Desistimiento del procedimiento: suministro de material', 'cancellation'],
  ['es', 'Consulta preliminar del mercado sobre plataforma de datos', 'prior-information'],
  ['es', 'Formalización del contrato: limpieza de colegios', 'award'],
  ['pl', 'Unieważnienie postępowania na dostawę sprzętu', 'cancellation'],
  ['pl', 'Sprostowanie ogłoszenia: budowa drogi', 'correction'],
  ['pl', 'Wstępne konsultacje rynkowe – system biletowy', 'prior-information'],
  ['nl', 'Marktconsultatie onderhoud sluizen', 'prior-information'],
  ['nl', 'Rectificatie: levering van kantoormeubilair', 'correction'],
  ['nl', 'Ingetrokken: onderhoud groenvoorziening', 'cancellation'],
  ['sv', 'Avbruten upphandling: städtjänster', 'cancellation'],
  ['sv', 'Tilldelningsbeslut: snöröjning', 'award'],
  ['da', 'Annullering af udbud: rengøring', 'cancellation'],
  ['da', 'Markedsdialog om parkering', 'prior-information'],
  ['no', 'Avlysning av konkurranse – skolebuss', 'cancellation'],
  ['fi', 'Hankinnan keskeyttäminen: siivouspalvelut', 'cancellation'],
  ['pt', 'Anúncio de adjudicação: obras da escola', 'award'],
  ['cs', 'Zrušení zadávacího řízení – dodávka IT', 'cancellation'],
  ['hu', 'Tájékoztató az eljárás eredményéről: útépítés', 'award'],
  ['ro', 'Anularea procedurii: servicii de pază', 'cancellation'],
  ['en', 'Tender withdrawn: catering services', 'cancellation'],
  ['en', 'Notice of contract award – street lighting', 'award'],
  ['en', 'Extension of library building', 'call'],
  ['de', 'Verlängerung der Buslinie 7 – Tiefbau', 'call'],
  ['fr', 'Prolongation de la ligne de tramway T4', 'call'],
  ['es', 'Suspensión neumática para autobuses', 'call'],
  ['nl', 'Verlenging licenties software', 'call'],
  ['it', 'Correzione automatica di prove scritte: software', 'call'],
  ['en', 'Award ceremony catering', 'call'],
  ['fr', 'Marché de fournitures : attribution de trophées', 'call'],
  ['pl', 'Modernizacja systemu unieważniania biletów', 'call'],
])('%s: %s is a %s', (language, title, act) => {
  expect(readAct(notice(language, title)).act).toBe(act)
})

test.each([
  ['it', 'Gara deserta', 'nobody'],
  ['it', 'Lotto deserto', 'nobody'],
  ['es', 'Desierto', 'nobody'],
  ['es', 'Lote 2: desierto', 'nobody'],
  ['pl', 'Postępowanie unieważnione', 'nobody'],
  ['nl', 'Niet gegund', 'nobody'],
  ['sv', 'Inget anbud inkom', 'nobody'],
  ['da', 'Ingen tilbud modtaget', 'nobody'],
  ['pt', 'Deserto', 'nobody'],
  ['ro', 'Anulat', 'nobody'],
  ['cs', 'Zrušeno', 'nobody'],
  ['fi', 'Ei tarjouksia', 'nobody'],
  ['en', 'No bids received', 'nobody'],
  ['es', 'Desierto Films SL', 'a company'],
  ['en', 'Void Engineering Ltd', 'a company'],
  ['it', 'Nulla Osta Srl', 'a company'],
  ['fr', 'Sans Souci Traiteur', 'a company'],
  ['de', 'Keiner Bau GmbH', 'a company'],
  ['fr', 'Sté Annulation Bruit SARL', 'a company'],
])('%s: %s as a winner is %s', (language, name, what) => {
  const named = withNamedWinners(notice(language, 'x', { outcome: 'awarded', winners: [{ name }] }))
  const result = named.lots[0]!.result!
  expect(result).toEqual(what === 'nobody' ? { outcome: 'not-awarded' } : { outcome: 'awarded', winners: [{ name }] })
})
