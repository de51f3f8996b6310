import { expect, test } from 'vitest'
import { winnerNameOf } from './winner-names.ts'

const voids = [
  'Lot infructueux',
  'LOT N° 3 : DÉCLARÉ SANS SUITE',
  'Déclaration sans suite pour motif d’intérêt général',
  'Aucune offre, aucune demande de participation, ni aucun projet n’a été reçu',
  'desierto por incumplimiento de los pliegos',
  'Lotto deserto (non aggiudicato)',
  'Los 3: nicht vergeben',
  'aufgehoben gem. § 63 Abs. 1 Nr. 1 VgV',
  'Perceel 2 is niet gegund',
  'Unieważniono – art. 255 pkt 1 ustawy Pzp',
  'Nebyla podána žádná nabídka',
  'Neboli prijaté žiadne ponuky',
  'Postupak poništen',
  'Ni bilo ponudb',
  'Neatribuit',
  'обособена позиция № 4 – прекратена',
  'Άγονος διαγωνισμός',
  'Δεν υποβλήθηκαν προσφορές',
  'Der er ikke modtaget nogen tilbud',
  'Upphandlingen avbruten',
  'Konkurransen er avlyst',
  'Ekkert tilboð barst',
  'Tarjouksia ei saatu',
  'Pakkumusi ei esitatud',
  'Iepirkums izbeigts bez rezultāta',
  'Pirkimas neįvyko',
  '2. rész: eredménytelen',
  'Gan tairiscintí',
  'Ma waslet l-ebda offerta',
  'Торги не відбулися',
  'Нема понуда',
  'Постапката е поништена',
  'Asnjë ofertë',
  'Teklif verilmedi',
  'ტენდერი არ შედგა',
  'Закупка не состоялась',
]
const pointers = [
  'see attached list',
  'Voir liste annexée',
  'siehe Anlage 2',
  'Various suppliers',
  'nie dotyczy',
  'Flere leverandører',
]
const names = [
  'Desierto Florido SL',
  'DESIERTO, S.L.',
  'DESIERTO, S. L.',
  'Aufgehoben Haustechnik GmbH',
  'Sans Suite Événements SARL',
  'Deserto Verde S.r.l.',
  'Marché infructueux, puis attribué à la société Gravelotte SARL',
  'Lot 1: Quellmar Bau GmbH; Lot 2: nicht vergeben',
  'Infructueux pour la société Gravelotte SARL',
  'Diverse Care Services Ltd',
  'Unknown Architects',
  'See Hotel GmbH',
  'Polskie Linie Lotnicze „LOT” S.A',
  'Contractors Alliance',
  '',
]

test('texts that say that nothing was awarded are no names, in every language, after a number or before a reason', () => {
  expect(voids.filter((text) => winnerNameOf(text) !== 'void')).toEqual([])
})

test('texts that name a winner elsewhere are pointers', () => {
  expect(pointers.filter((text) => winnerNameOf(text) !== 'pointer')).toEqual([])
})

test('companies stay, also those whose names contain such a word', () => {
  expect(names.filter((text) => winnerNameOf(text) !== 'name')).toEqual([])
})
