import { expect, test } from 'vitest'
import { displayTitle } from './display-title.ts'

test.each([
  [
    'SANIERUNG DER GRUNDSCHULE UND BAU EINER SPORTHALLE',
    'de',
    [],
    'Sanierung der Grundschule und Bau einer Sporthalle',
  ],
  ['SERVICIO DE LIMPIEZA DE LOS EDIFICIOS', 'es', [], 'Servicio de limpieza de los edificios'],
  ['SCAFFOLDING 2019-2021', 'en', [], 'Scaffolding 2019-2021'],
  ['DOBAVA ELEKTRIČNE ENERGIJE Z UPOŠTEVANJEM VIDIKOV', 'sl', [], 'Dobava električne energije z upoštevanjem vidikov'],
  ['MISE A DISPOSITION D’UNE NAVETTE', 'fr', [], 'Mise a disposition d’une navette'],
  ['RICHIESTA DI OFFERTA. FORNITURA DI ARREDI', 'it', [], 'Richiesta di offerta. Fornitura di arredi'],
] as const)('%s', (title, language, texts, shown) => {
  expect(displayTitle(title, language, texts)).toBe(shown)
})

test('names and abbreviations are as the texts of the record write them', () => {
  const texts = [
    'Comune di Borgoverde',
    'Fornitura di arredi per la scuola di Borgoverde, finanziata dal PNRR. Arredi nuovi.',
  ]
  expect(displayTitle('FORNITURA DI ARREDI PER LA SCUOLA DI BORGOVERDE – PNRR', 'it', texts)).toBe(
    'Fornitura di arredi per la scuola di Borgoverde – PNRR',
  )
})

test('abbreviations, numerals and codes that no text explains stay as they are', () => {
  expect(displayTitle('COPERNICUS EMERGENCY SERVICE (CEMS) PHASE IV, LOT 2B-XK7, DN150', 'en', [])).toBe(
    'Copernicus emergency service (CEMS) phase IV, lot 2B-XK7, DN150',
  )
  expect(displayTitle('REVIZIA NAVEI N.M.S.', 'ro', ['REVIZIE URGENTA la nava'])).toBe('Revizia navei N.M.S.')
})

test.each(['Neubau der Schule', 'RFQ 12', 'IT-Dienste für das LRZ', 'ΟΔΟΣ', '道路工事', 'SAP S/4HANA'])(
  '%s is not a title in capitals',
  (title) => {
    expect(displayTitle(title, 'de', [])).toBeUndefined()
  },
)

test('a text in capitals explains nothing', () => {
  expect(displayTitle('FORNITURA DI ARREDI', 'it', ['FORNITURA DI ARREDI'])).toBe('Fornitura di arredi')
})
