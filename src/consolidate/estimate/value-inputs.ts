// Everything that an estimate depends on, read from the record: while it stays the same, so does the estimate.
import { createHash } from 'node:crypto'
import { foldLetters } from '../../domain/name-words.ts'
import { stockRules } from '../../domain/stock-rules.ts'
import type { TenderContent } from '../../domain/tender.ts'
import { natureOf } from './contract-nature.ts'
import { type LegalLevel, legalLevelOf } from './legal-level.ts'

/**
 * What the estimator reads of a tender. None of it changes with the clock, and none of it is known only after the
 * award.
 */
export type ValueInputs = {
  readonly title: string
  readonly description: string
  readonly buyer: string
  /** Eight digits, main code first. */
  readonly cpvCodes: readonly string[]
  /** Of the notice, its CPV code or its words; see `natureOf`. */
  readonly nature: string | undefined
  /** ISO 3166-1 alpha-2 of the buyer, else of the place. */
  readonly country: string | undefined
  readonly nutsCode: string | undefined
  readonly lots: number
  /** Longest duration of the lots. */
  readonly months: number | undefined
  readonly isFramework: boolean
  readonly isDynamicPurchasingSystem: boolean
  readonly legalBasis: string | undefined
  readonly procedureType: string | undefined
  readonly level: LegalLevel | undefined
  /** Year of the first publication: it selects the table of thresholds and the rates. */
  readonly year: number | undefined
  readonly kind: 'call' | 'planning' | 'qualification' | 'modification'
}

const qualificationTypes = /^qu-sy$|^F07$/
const planningTypes = new Set(['planning', 'consultation'])
const modificationTypes = new Set(['cont-modif', 'completion'])

const monthsPerUnit: { readonly [unit: string]: number } = {
  DAY: 1 / 30.4,
  WEEK: 7 / 30.4,
  MONTH: 1,
  MON: 1,
  QUARTER: 3,
  YEAR: 12,
  ANN: 12,
}

function monthsOf(content: TenderContent): number | undefined {
  const lengths = content.lots.flatMap(({ duration }) => {
    if (!duration) return []
    const unit = monthsPerUnit[(duration.unit ?? '').toUpperCase()]
    if (duration.value !== undefined && unit !== undefined) return [duration.value * unit]
    const span = Date.parse(duration.end ?? '') - Date.parse(duration.start ?? '')
    return Number.isNaN(span) || span <= 0 ? [] : [span / (30.4 * 86_400_000)]
  })
  return lengths.length > 0 ? Math.round(Math.max(...lengths) * 10) / 10 : undefined
}

function kindOf({ originalSources }: TenderContent): ValueInputs['kind'] {
  if (originalSources.some(({ noticeType }) => qualificationTypes.test(noticeType))) return 'qualification'
  if (originalSources.every(({ formType }) => planningTypes.has(formType))) return 'planning'
  if (originalSources.every(({ formType }) => modificationTypes.has(formType) || planningTypes.has(formType)))
    return 'modification'
  return 'call'
}

/** The inputs of a record. Its value and its lots' values are not among them, nor its state. */
export function valueInputsOf(content: TenderContent): ValueInputs {
  const { legalBasis, lots } = content
  const lotCodes = lots.flatMap((lot) => lot.cpvCodes)
  const date = content.firstPublicationDate ?? content.publicationDate
  return {
    title: content.title,
    description: [content.description ?? '', ...lots.slice(0, 10).map((lot) => lot.title ?? '')].join('\n').trim(),
    buyer: content.contractingAuthority?.name ?? '',
    cpvCodes: [...new Set([...content.cpvCodes, ...lotCodes])].slice(0, 20),
    nature: natureOf(content),
    country: content.contractingAuthority?.country ?? content.realizedLocation?.country,
    nutsCode: content.nutsCodes[0] ?? content.realizedLocation?.nuts,
    lots: lots.length,
    months: monthsOf(content),
    isFramework: content.isFramework === true,
    isDynamicPurchasingSystem: content.isDynamicPurchasingSystem === true,
    legalBasis,
    procedureType: content.procedureType,
    level: legalLevelOf(content),
    year: date === undefined ? undefined : Number(date.slice(0, 4)),
    kind: kindOf(content),
  }
}

/** Start of the versions of all models whose answers follow the rules of today; those of earlier rules are ignored. */
export const modelGeneration = `v${stockRules.estimates}-`

/** SHA-256 of the inputs and the rules, hex: an estimate made for it is valid until it changes. */
export function inputsHash(inputs: ValueInputs): string {
  const members = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([modelGeneration, members]).normalize('NFC'))
    .digest('hex')
}

const buyerClasses: readonly (readonly [name: string, words: RegExp])[] = [
  [
    'health',
    /klinik|krankenh|hospital|hopital|szpital|ospedal|sanit|health|salud|spital|nemocnic|korhaz|medic|charite/,
  ],
  [
    'education',
    /universit|hochschul|schul|college|school|ecole|ecole|lycee|uczeln|akadem|fakult|forschung|fraunhofer|max-planck|helmholtz|research/,
  ],
  [
    'utility',
    /stadtwerk|wasser|abwasser|energie|energy|strom|netz|gas\b|eau\b|agua|wodoc|power|elektr|electric|entsorgung|abfall|waste/,
  ],
  [
    'transport',
    /bahn|verkehr|transport|rail|sncf|flughafen|airport|aeroport|hafen|port\b|autobahn|strasse|road|route|drog|metro|omnibus/,
  ],
  ['housing', /wohn|housing|habitat|immobil|liegenschaft|bau- und|real estate|hlm\b/],
  ['defence', /bundeswehr|verteidig|defen|armee|militar|wojsk|polizei|police|policj|guardia|feuerwehr|fire/],
  [
    'central',
    /ministeri|bundes|ministry|ministere|national|staatlich|staats|state|agentur|agence|agency|landes|land |regierung|government|rijks/,
  ],
  ['district', /kreis|county|departement|provinc|region|wojewod|powiat|conseil|council|bezirk/],
  [
    'town',
    /stadt|gemeinde|markt|commune|ville|mairie|gmina|miasto|city|town|comune|ayuntamiento|municip|kommun|magistrat|obec|mesto|verbandsgem|amt /,
  ],
]

/** Kind of authority that a name indicates. */
export function buyerClassOf(buyer: string): string {
  const folded = foldLetters(buyer)
  return buyerClasses.find(([, words]) => words.test(folded))?.[0] ?? (folded ? 'other' : 'none')
}
