// Which share of a country's calls reaches the default threshold for companies as people describe them, and how many of
// these are of their trade.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { TenderRecord } from '../../src/domain/tender.ts'
import { foldText } from '../../src/domain/words.ts'
import type { CompanyProfile } from '../../src/hits/company-profile.ts'
import { openScorer } from '../../src/hits/fit/fit.ts'
import { readFitModel } from '../../src/hits/fit/fit-model.ts'
import { defaultThreshold } from '../../src/hits/saved-search.ts'

/** The table was set on the first five. */
const companies = {
  roofer: { cpv: ['45261000'], words: ['dachdecker', 'dachabdichtung', 'bedachung', 'klempner'], nuts: ['DE9'] },
  cleaner: { cpv: ['90910000'], words: ['unterhaltsreinigung', 'glasreinigung', 'gebäudereinigung'], nuts: ['DEA'] },
  gardener: { cpv: ['45112700', '77310000'], words: ['landschaftsbau', 'außenanlagen', 'grünpflege'], nuts: ['DE2'] },
  electrician: {
    cpv: ['45310000'],
    words: ['elektroinstallation', 'starkstrom', 'elektroarbeiten'],
    nuts: ['DE3', 'DE4'],
  },
  computers: { cpv: ['30213000', '30230000'], words: ['notebook', 'tablet', 'laptop', 'monitor'], nuts: ['DE1'] },
  painter: { cpv: ['45442100'], words: ['malerarbeiten', 'anstrich', 'tapezierarbeiten'], nuts: ['DE1'] },
  guards: { cpv: ['79710000'], words: ['sicherheitsdienst', 'bewachung', 'objektschutz'], nuts: ['DE7'] },
  roads: { cpv: ['45233000'], words: ['straßenbau', 'asphalt', 'fahrbahn'], nuts: ['DEG', 'DED'] },
  architects: {
    cpv: ['71200000'],
    words: ['objektplanung', 'generalplanung', 'architektenleistungen'],
    nuts: ['DE2'],
  },
  engines: { cpv: ['34144200'], words: ['löschfahrzeug', 'drehleiter', 'feuerwehrfahrzeug'] },
} satisfies { readonly [name: string]: CompanyProfile }

type Row = { id: string; title?: string; description?: string; issuer?: string; region?: string; keywords: string[] }

/** Undefined without a corpus. */
export function benchThreshold(corpus: string): string | undefined {
  const path = join(corpus, 'cross-portal/doe-notices-2026-04-06.jsonl.gz')
  if (!existsSync(path)) return undefined
  const rows = gunzipSync(readFileSync(path)).toString().split('\n').filter(Boolean)
  const records = callsOf(rows.map((row) => JSON.parse(row) as Row))
  const lines = [
    `${records.length} calls; reached ${defaultThreshold}: share, and how many are of the trade`,
    '',
    '| Company | regions | regions and wins | neither | wins |',
    '|---|--:|--:|--:|--:|',
  ]
  const asked = Object.entries<CompanyProfile>(companies).flatMap(([name, profile]) => {
    const { nuts: _, ...everywhere } = profile
    const wins = records.filter((record) => isOfTrade(profile, record, 'and')).filter((_, index) => index % 3 === 0)
    const some = wins.slice(0, 5)
    return [
      { name, profile, wins: [] },
      { name, profile, wins: some },
      { name, profile: everywhere, wins: [] },
      { name, profile: everywhere, wins: some },
    ]
  })
  const cells = reached(asked, records)
  const rowsOf = Object.keys(companies).map((name) => {
    const own = cells.filter((_, number) => asked[number]!.name === name)
    return `| ${name} | ${own.join(' | ')} |`
  })
  return [...lines, ...rowsOf].join('\n')
}

/** Each call once; results and announcements are left out. */
function callsOf(rows: readonly Row[]): TenderRecord[] {
  const calls = new Map<string, TenderRecord>()
  for (const { id, title = '', description, issuer = '', region, keywords } of rows) {
    if (/^(?:Vergebener Auftrag|Beabsichtigte)/.test(title)) continue
    if (keywords.some((word) => /^(?:can-|veat|pin)/.test(word)) || calls.has(title + issuer)) continue
    const record = {
      id,
      status: 'open',
      title,
      description,
      contractAmount: null,
      cpvCodes: keywords.filter((word) => /^\d{8}$/.test(word)),
      nutsCodes: region === undefined ? [] : [region],
      lots: [],
      contractingAuthority: { name: issuer, country: 'DE' },
    }
    calls.set(title + issuer, record as unknown as TenderRecord)
  }
  return [...calls.values()]
}

function isOfTrade({ cpv = [], words = [] }: CompanyProfile, { cpvCodes, title }: TenderRecord, how: 'and' | 'or') {
  const beginnings = cpv.map((code) => code.slice(0, 5).replace(/0+$/, ''))
  const byCode = cpvCodes.some((code) => beginnings.some((beginning) => code.startsWith(beginning)))
  const folded = foldText(title)
  const byWord = words.some((word) => folded.includes(foldText(word).slice(0, 10)))
  return how === 'and' ? byCode && byWord : byCode || byWord
}

type Asked = { readonly profile: CompanyProfile; readonly wins: readonly TenderRecord[] }

/**
 * Of each: the share of the records that reach the threshold, and how many of these are of the trade. Wins of the
 * company, which it is not told again, count in neither.
 */
function reached(asked: readonly Asked[], records: readonly TenderRecord[]): string[] {
  const toFit = asked.map(({ profile, wins }) => ({ profileId: 'company', profile, wins }))
  const scorer = openScorer(toFit, readFitModel())
  const counts = asked.map(() => ({ above: 0, own: 0 }))
  for (const record of records) {
    scorer.read(record)
    asked.forEach(({ profile, wins }, number) => {
      if (wins.includes(record)) return
      if (scorer.score(number, defaultThreshold) === undefined) return
      counts[number]!.above++
      if (isOfTrade(profile, record, 'or')) counts[number]!.own++
    })
  }
  return counts.map(({ above, own }, number) => {
    const share = (100 * above) / (records.length - asked[number]!.wins.length)
    return `${share.toFixed(1)} %, ${(own / Math.max(1, above)).toFixed(2)}`
  })
}
