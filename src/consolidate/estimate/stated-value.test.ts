// Phrases that state the contract's own value, and amounts beside it that do not.
import { expect, test } from 'vitest'
import { statedValue } from './stated-value.ts'

const value = (text: string, country = 'DE') => {
  const found = statedValue(text, country)
  return found && [found.value, found.currency, found.isMaximum]
}

test.each([
  ['Der geschätzte Auftragswert beträgt ca. 178.000 Eur - netto.', 178_000, 'EUR', false],
  ['Der geschätzte Auftragswert beträgt 117.000,00 EUR netto.', 117_000, 'EUR', false],
  ['Geschätzter Auftragswert ca. 16 TEUR', 16_000, 'EUR', false],
  ['Der Auftragswert der Rahmenvereinbarung wird auf 1,6 Mio. Euro (netto) geschätzt', 1_600_000, 'EUR', false],
  ['Der Höchstwert der Rahmenvereinbarung beträgt 2 Mio. € netto', 2_000_000, 'EUR', true],
  ['Montant total estimé : 250 000,00 euros HT', 250_000, 'EUR', false],
  ['Montant maximum du marché : 90 000 € HT', 90_000, 'EUR', true],
  ['Szacunkowa wartość zamówienia: 1 234 567,89 zł', 1_234_568, 'PLN', false],
  ['Valor estimado del contrato: 1.500.000,50 EUR', 1_500_001, 'EUR', false],
  ['Estimated value of the contract: £ none yet; estimated total value is 75,000 GBP', 75_000, 'GBP', false],
] as const)('%s', (text, amount, currency, isMaximum) => {
  expect(value(text)).toEqual([amount, currency, isMaximum])
})

test('amounts with VAT are converted to net amounts', () => {
  expect(value('Der geschätzte Auftragswert liegt bei 119.000 Euro brutto.')).toEqual([100_000, 'EUR', false])
  expect(value('Der geschätzte Auftragswert liegt bei 119.000 Euro brutto.', 'XX')).toBeUndefined()
})

test.each([
  'Nachweise werden ab einem geschätzten Auftragswert > 30.000 € netto verlangt.',
  'ab einem geschätzten Auftragswert &gt; 30.000 € netto der Auszug',
  'Der maximale Auftragswert je Einzelabruf beträgt 20.000,00 EUR netto.',
  'wenn der Auftragswert größer gleich 250.000 EUR netto ist',
  'Geschätzter Auftragswert Los 1: 20.000 EUR, geschätzter Auftragswert Los 2: 30.000 EUR',
  'Die geschätzten Baukosten (KG 200 - 700) liegen bei rd. 10,5 Mio. Euro brutto.',
  'Geschätzter Auftragswert: 0,01 EUR',
  'Die Höchstmenge der Einsatzstunden liegt bei insgesamt 72.500 Stunden.',
  'Der geschätzte Auftragswert beträgt 100.000 EUR pro Jahr.',
])('is not found in a text that states no value of this tender: %s', (text) => {
  expect(value(text)).toBeUndefined()
})
