// New deadlines in running text.
import { expect, test } from 'vitest'
import { readNewDeadline } from './deadline-text.ts'

const read = (language: string, text: string, published = '2026-04-20T00:00:00.000Z') =>
  readNewDeadline(text, { language, published, zone: 'Europe/Berlin' })

test.each([
  [
    'de',
    'Die Angebotsfrist wird bis zum 18.05.2026, 12:30 Uhr verlängert. Die Bindefrist läuft bis 17.06.2026.',
    '2026-05-18T10:30:00.000Z',
  ],
  [
    'de',
    'Ablauf der Angebotsfrist: verlängert auf 29.04.2026 / 12:00 Uhr, Zuschlagsfrist: verlängert auf 06.05.2026',
    '2026-04-29T10:00:00.000Z',
  ],
  ['de', 'Angebotsfrist bis 18.05. verlängert', '2026-05-18T21:59:59.000Z'],
  ['de', 'Änderung der Abgabefrist vom 06.05.2026 auf den 08.05.2026', '2026-05-08T21:59:59.000Z'],
  ['de', 'Die Frist für die finalen Angebote wurde auf 09.06.2026 12 Uhr geändert.', '2026-06-09T10:00:00.000Z'],
  [
    'de',
    'Der Termin für die Öffnung der Angebote wird auf den 3. Juni 2026, 11:00 Uhr verschoben.',
    '2026-06-03T09:00:00.000Z',
  ],
  ['en', 'The deadline has been extended to 12 May 2026 at 14:00.', '2026-05-12T12:00:00.000Z'],
  ['fr', 'Remise des offres : au lieu du 03/05/2026 à 18h00, lire 22/05/2026 à 12h00.', '2026-05-22T10:00:00.000Z'],
  ['fr', 'La date limite est reportée au 15 juin 2026.', '2026-06-15T21:59:59.000Z'],
  [
    'it',
    'Il termine per la presentazione delle offerte è prorogato al 15/06/2026 alle 12:00.',
    '2026-06-15T10:00:00.000Z',
  ],
  ['es', 'Se amplía el plazo hasta el 15 de junio de 2026.', '2026-06-15T21:59:59.000Z'],
  ['nl', 'De sluitingsdatum wordt verschoven naar 15-06-2026.', '2026-06-15T21:59:59.000Z'],
  ['pl', 'Termin składania ofert zostaje przedłużony do 15.06.2026.', '2026-06-15T21:59:59.000Z'],
  ['hu', 'Az ajánlattételi határidő módosul: 2026.06.15.', '2026-06-15T21:59:59.000Z'],
  ['sv', 'Anbudstiden förlängs till 2026-06-15.', '2026-06-15T21:59:59.000Z'],
  ['hu', 'Az ajánlattételi határidő 2026. június 15. 10:00 órára módosul.', '2026-06-15T08:00:00.000Z'],
  ['lt', 'Pasiūlymų pateikimo terminas pratęsiamas iki 2026 m. birželio 15 d. 11:00 val.', '2026-06-15T09:00:00.000Z'],
  [
    'lv',
    'Piedāvājumu iesniegšanas termiņš pagarināts līdz 2026. gada 15. jūnijam plkst. 11.00.',
    '2026-06-15T09:00:00.000Z',
  ],
  ['et', 'Pakkumuste esitamise tähtaega pikendatakse 15. juunini 2026.', '2026-06-15T21:59:59.000Z'],
  ['sl', 'Rok za oddajo ponudb se podaljša do 15. 6. 2026 do 10. ure.', '2026-06-15T08:00:00.000Z'],
])('%s: %s', (language, text, at) => {
  expect(read(language, text)).toEqual({ kind: 'at', at })
})

test.each([
  ['de', 'Die Angebotsfrist wird um zwei Wochen verlängert.', 14],
  ['de', 'Die Abgabefrist verlängert sich um 7 Tage.', 7],
  ['en', 'The submission deadline is extended by three weeks.', 21],
  ['fr', 'Le délai de remise est prolongé de deux semaines.', 14],
])('%s: %s', (language, text, days) => {
  expect(read(language, text)).toEqual({ kind: 'later', days })
})

test.each([
  ['de', 'Die Bindefrist wird bis zum 18.05.2026 verlängert.'],
  ['de', 'Position 1.2 entfällt, siehe Plan vom 18.05.2026.'],
  ['de', 'Die Angebotsfrist bleibt unverändert. Bieterfragen bis 18.05.2026.'],
  ['en', 'The site visit takes place on 12 May 2026.'],
])('no deadline is moved: %s %s', (language, text) => {
  expect(read(language, text)).toBeUndefined()
})
