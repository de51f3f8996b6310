import { expect, test } from 'vitest'
import { saysLegalPerson } from './legal-forms.ts'

test.each([
  'Strabau Schwaben GmbH & Co. KG',
  'Auto Garagem – Jardim de Moscavide , Lda.',
  'Coloplast Sp. z o.o.',
  'Agencja Ochrony „Secret” Spółka z ograniczoną odpowiedzialnością',
  'Insastav s.r.o.',
  'ТОВ «Будівельник»',
  'Bodrogi Bau Korlátolt Felelősségű Társaság',
  'Asplan VIAK AS',
  'NORMÁTICA, S.A.',
])('%s is a legal person', (name) => {
  expect(saysLegalPerson(name)).toBe(true)
})

test.each([
  'María del Carmen Bernal Morote',
  'Hans Meier',
  'Hans Meier e.K.',
  'Meier & Müller GbR',
  'John Smith trading as Smith Cleaning',
  'ФОП Іваненко Іван Іванович',
  'Bartosz Hodurek BH Studio',
  'Marián Troliga - MT',
])('%s may be a person', (name) => {
  expect(saysLegalPerson(name)).toBe(false)
})
