// Sample notices as OCDS 1.1: releases, and the packages and records that hold them.
import { createHash } from 'node:crypto'
import { toInstant } from '../../domain/time.ts'
import { descriptionOf, type SampleCopy, titleOf } from './sample-world.ts'
import { seeded } from './seeded.ts'

/** Made-up OCID prefixes of the sample publishers. */
const prefixes: { readonly [portal: string]: string } = {
  'gb-find-a-tender': 'ocds-smp0uk',
  'gb-contracts-finder': 'ocds-smp0rc',
  'gb-public-contracts-scotland': 'ocds-smp0fd',
}

/** A made-up OCID prefix for a portal: it is not registered. */
function prefixOf(portal: string): string {
  return `ocds-x${createHash('sha256').update(portal).digest('hex').slice(0, 5)}`
}

const tags = {
  planning: 'planning',
  call: 'tender',
  change: 'tenderUpdate',
  cancellation: 'tenderCancellation',
  award: 'award',
  modification: 'awardUpdate',
} as const
const methods = { open: 'open', restricted: 'selective', 'neg-w-call': 'selective' } as const
const methodDetails = {
  open: 'Open procedure',
  restricted: 'Restricted procedure',
  'neg-w-call': 'Competitive procedure with negotiation',
} as const
const categories = { works: 'works', supplies: 'goods', services: 'services' } as const

export type OcdsRelease = {
  readonly [member: string]: unknown
  readonly ocid: string
  readonly id: string
  readonly date: string
}

/** One notice as a release. */
export function writeRelease(copy: SampleCopy): OcdsRelease {
  const { procedure, notice } = copy
  const { buyer } = procedure
  const language = procedure.languages[0]!
  const { currency } = buyer.region
  const amount = (value: number) => ({ amount: value, currency })
  const status =
    notice.kind === 'planning'
      ? 'planned'
      : notice.kind === 'cancellation'
        ? 'cancelled'
        : notice.results.length > 0
          ? 'complete'
          : 'active'
  const winners = [...new Set(notice.results.flatMap(({ winner }) => (winner ? [winner] : [])))]
  const winnerId = (name: string) => `${buyer.region.country}-COH-${seeded(name).whole(1_000_000, 9_999_999)}`
  return {
    ocid: `${prefixes[copy.portal] ?? prefixOf(copy.portal)}-${procedure.procedureId.slice(0, 8)}`,
    id: `${notice.publicationNumber}-${notice.version}`,
    date: toInstant(copy.at),
    tag: [tags[notice.kind]],
    initiationType: 'tender',
    language,
    buyer: { id: buyer.nationalId, name: buyer.name },
    parties: [
      {
        id: buyer.nationalId,
        name: buyer.name,
        roles: ['buyer'],
        identifier: { scheme: `${buyer.region.country}-SMP`, id: buyer.nationalId, legalName: buyer.name },
        address: {
          streetAddress: buyer.street,
          locality: buyer.town,
          ...(buyer.nuts !== '' && { region: buyer.nuts }),
          postalCode: buyer.postalCode,
          countryName: countryNameOf(buyer.region.country),
        },
        contactPoint: { email: buyer.email, telephone: buyer.phone, url: buyer.url },
      },
      ...winners.map((name) => ({
        id: winnerId(name),
        name,
        roles: ['supplier'],
        identifier: { scheme: `${buyer.region.country}-COH`, id: winnerId(name) },
      })),
    ],
    tender: {
      id: procedure.reference,
      title: titleOf(procedure, language),
      description: descriptionOf(procedure, language),
      status,
      ...(procedure.value !== undefined && { value: amount(procedure.value) }),
      mainProcurementCategory: categories[procedure.subject.nature],
      procurementMethod: methods[procedure.procedureType],
      procurementMethodDetails: methodDetails[procedure.procedureType],
      classification: { scheme: 'CPV', id: procedure.subject.cpv, description: procedure.subject.title.en },
      items: procedure.lots.map((lot, index) => ({
        id: String(index + 1),
        classification: { scheme: 'CPV', id: lot.cpv },
        deliveryAddresses: [
          {
            locality: buyer.town,
            ...(buyer.nuts !== '' && { region: buyer.nuts }),
            postalCode: buyer.postalCode,
            countryName: countryNameOf(buyer.region.country),
          },
        ],
        relatedLot: String(index + 1),
      })),
      lots: procedure.lots.map((lot, index) => ({
        id: String(index + 1),
        title: lot.title[language],
        description: `${lot.title[language]}. ${descriptionOf(procedure, language)}`,
        status: status === 'complete' && notice.results[index]?.winner === undefined ? 'unsuccessful' : status,
        ...(procedure.value !== undefined && { value: amount(lot.value) }),
      })),
      ...(notice.deadline !== undefined && { tenderPeriod: { endDate: toInstant(notice.deadline) } }),
      documents:
        notice.kind === 'call' || notice.kind === 'change'
          ? [
              {
                id: '1',
                documentType: 'biddingDocuments',
                url: `https://portal.example/${copy.portal}/${procedure.reference}`,
                format: 'text/html',
              },
            ]
          : [],
    },
    ...(notice.results.length > 0 && {
      awards: notice.results.map((each, index) => ({
        id: `${procedure.reference}-${index + 1}`,
        status: each.winner === undefined ? 'unsuccessful' : 'active',
        relatedLots: [String(index + 1)],
        ...(each.winner !== undefined && {
          value: amount(each.value),
          suppliers: [{ id: winnerId(each.winner), name: each.winner }],
          date: toInstant(copy.at),
        }),
      })),
    }),
  }
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' })
const countryNameOf = (country: string) => countryNames.of(country) ?? country

const packageOf = (uri: string, publishedDate: string) => ({
  uri,
  version: '1.1',
  publishedDate,
  publisher: { name: 'Sample portal of made-up notices', scheme: 'none' },
  license: 'https://creativecommons.org/publicdomain/zero/1.0/',
})

export function writeReleasePackage(uri: string, releases: readonly OcdsRelease[]): string {
  return JSON.stringify({ ...packageOf(uri, releases.at(-1)!.date), releases })
}

/** A record: all releases of a procedure so far. */
export function writeRecord(releases: readonly OcdsRelease[]): { readonly [member: string]: unknown } {
  const last = releases.at(-1)!
  return { ocid: last.ocid, releases, compiledRelease: { ...last, tag: ['compiled'] } }
}

/** A record package with one record: all releases so far. */
export function writeRecordPackage(uri: string, releases: readonly OcdsRelease[]): string {
  const last = releases.at(-1)!
  return JSON.stringify({
    ...packageOf(uri, last.date),
    records: [writeRecord(releases)],
  })
}
