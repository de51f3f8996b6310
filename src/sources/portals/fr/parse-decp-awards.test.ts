import { expect, it } from 'vitest'
import type { Notice } from '../../../domain/notice.ts'
import { parseDecpAwards } from './parse-decp-awards.ts'

function read(document: unknown): Notice[] {
  return parseDecpAwards(Buffer.from(JSON.stringify(document))).map((part) => {
    if ('rejection' in part) throw new Error(JSON.stringify(part.rejection))
    return part.notice
  })
}

const contract = {
  id: '2022-17',
  acheteur: { id: '21000000000011' },
  nature: 'Marché',
  objet: 'Réfection de la toiture',
  codeCPV: '45261210-9',
  procedure: 'Procédure adaptée',
  lieuExecution: { code: '50340', typeCode: 'Code postal' },
  dateNotification: '2022-11-23',
  datePublicationDonnees: '2022-12-05',
  montant: 80_000,
  titulaires: [{ titulaire: { typeIdentifiant: 'SIRET', id: '12345678900011', denominationSociale: 'Toits du Nord' } }],
}

it('a contract of the consolidated files is read like a row of the dataset', () => {
  const row = {
    id: '2022-17',
    acheteur_id: '21000000000011',
    nature: 'Marché',
    objet: 'Réfection de la toiture',
    codecpv: '45261210-9',
    procedure: 'Procédure adaptée',
    lieuexecution_code: '50340',
    lieuexecution_typecode: 'Code postal',
    datenotification: '2022-11-23',
    datepublicationdonnees: '2022-12-05',
    montant: 80_000,
    titulaire_id_1: '12345678900011',
    titulaire_typeidentifiant_1: 'SIRET',
    titulaire_denominationsociale_1: 'Toits du Nord',
  }
  expect(read(contract)).toEqual(read(row))
  expect(read(row)).toMatchObject([
    {
      formType: 'result',
      awardedValue: { value: 80_000, currency: 'EUR' },
      place: { country: 'FR', postalCode: '50340' },
    },
  ])
})

it.each([
  ['of 2019', { marches: [contract, contract] }, 2],
  ['of 2022', { marches: { marche: [contract], 'contrat-concession': [contract, contract] } }, 3],
])('every contract of a file %s is read', (_, file, count) => {
  expect(read(file).length).toBe(count)
})

it('each modification is a notice of its own, with its value, date and parties', () => {
  const changed = { typeIdentifiant: 'SIRET', id: '99999999900011', denominationSociale: 'Toits du Sud' }
  const modification = {
    id: 1,
    dateNotificationModification: '2023-04-24',
    datePublicationDonneesModification: '2023-05-02',
    montant: 95_000,
    titulaires: [[[changed]]],
  }
  const [award, modified] = read({ ...contract, modifications: [{ modification }] })
  expect(award).toEqual(read(contract)[0])
  expect(modified).toMatchObject({
    formType: 'cont-modif',
    noticeKey: 'fr-decp-awards:21000000000011/2022-17@2023-05-02',
    awardedValue: { value: 95_000 },
    lots: [{ result: { contractDate: '2023-04-24', winners: [{ name: 'Toits du Sud' }] } }],
  })
})

it('a concession names its buyer, date and value by other members', () => {
  const { acheteur, titulaires, montant, dateNotification, ...rest } = contract
  const concession = {
    ...rest,
    autoriteConcedante: acheteur,
    concessionnaires: titulaires,
    valeurGlobale: montant,
    dateSignature: dateNotification,
  }
  expect(read(concession)).toEqual(read(contract))
})

it('a modification refers to its award, and what it does not say is as the one before left it', () => {
  const changed = { typeIdentifiant: 'SIRET', id: '99999999900011', denominationSociale: 'Toits du Sud' }
  const on = (day: string) => ({ dateNotificationModification: day, datePublicationDonneesModification: day })
  const modifications = [
    { modification: { id: 2, ...on('2024-01-10') } },
    { modification: { id: 1, ...on('2023-04-24'), montant: 95_000, dureeMois: 14, titulaires: [changed] } },
    { modification: { id: 4, ...on('2024-03-10') } },
    { modification: { id: 3, ...on('2024-03-10'), montant: 1 } },
  ]
  const notices = read({ ...contract, dureeMois: 12, modifications })
  const noticeId = '21000000000011/2022-17'
  expect(notices.map((notice) => notice.noticeId)).toEqual([noticeId, undefined, undefined, undefined, undefined])
  expect(notices.slice(1).map(({ references }) => references)).toEqual(
    Array.from({ length: 4 }, () => [{ kind: 'modifies', noticeId }]),
  )
  expect(notices.map(({ awardedValue }) => awardedValue?.value)).toEqual([80_000, 95_000, 95_000, 95_000, undefined])
  expect(notices.map(({ lots }) => lots[0]?.duration?.value)).toEqual([12, 14, 14, 14, 14])
  expect(notices.slice(1).every(({ lots }) => lots[0]?.result?.winners?.[0]?.name === 'Toits du Sud')).toBe(true)
  expect(new Set(notices.map(({ noticeKey }) => noticeKey)).size).toBe(5)
})

it('reads duration and framework; zero tenders are an unknown number', () => {
  const techniques = { technique: ['Accord-cadre', 'Concours'] }
  expect(read({ ...contract, dureeMois: 48, techniques, offresRecues: 0 })).toMatchObject([
    { isFramework: true, lots: [{ duration: { value: 48, unit: 'MONTH' } }] },
  ])
  const [within] = read({ ...contract, dureeMois: 'NC', techniques, idAccordCadre: '2021-4', offresRecues: 0 })
  expect(within?.isFramework).toBeUndefined()
  expect(within?.lots[0]?.duration).toBeUndefined()
  expect(within?.lots[0]?.result?.receivedTenders).toBeUndefined()
})

it.each([
  ['Code département', '69', { country: 'FR' }],
  ['Code pays', 'BE', { country: 'BE' }],
  ['Code postal', '50340', { country: 'FR', postalCode: '50340' }],
])('a place by %s', (typeCode, code, place) => {
  expect(read({ ...contract, lieuExecution: { code, typeCode } })[0]?.place).toEqual(place)
})
