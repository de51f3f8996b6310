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

/** Five others; a person read their first twenty and graded them: `labels/fit-judged.tsv`. */
const judged = {
  windows: {
    cpv: ['45421130'],
    words: ['fenster', 'verglasung', 'pfosten-riegel-fassade', 'haustüren'],
    nuts: ['DE7'],
  },
  schoolbus: {
    cpv: ['60130000'],
    words: ['schülerbeförderung', 'schulbus', 'personenbeförderung'],
    nuts: ['DEB', 'DE9'],
  },
  demolition: {
    cpv: ['45111000'],
    words: ['abbruch', 'rückbau', 'entkernung', 'schadstoffsanierung'],
    nuts: ['DEA'],
  },
  caterer: {
    cpv: ['55524000'],
    words: ['mittagsverpflegung', 'schulverpflegung', 'speisenversorgung', 'catering'],
    nuts: ['DE1', 'DE2'],
  },
  lifts: {
    cpv: ['45313100'],
    words: ['aufzug', 'aufzugsanlage', 'fahrstuhl', 'personenaufzug'],
    nuts: ['DE1', 'DE2'],
  },
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
  return [...lines, ...rowsOf, '', ...firstTwenty(records)].join('\n')
}

/**
 * Of each judged company: the share of its first twenty that are of its trade and in its region, how well they are
 * ordered, and how many of them have a grade (2: both, 1: one of them or a part, 0: neither).
 */
function firstTwenty(records: readonly TenderRecord[]): string[] {
  const labels = readFileSync(new URL('../labels/fit-judged.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
  const grades = new Map(labels.map((line) => line.split('\t')).map(([name, id, grade]) => [`${name} ${id}`, +grade!]))
  const names = Object.keys(judged)
  const toFit = Object.entries(judged).map(([profileId, profile]) => ({ profileId, profile, wins: [] }))
  const scorer = openScorer(toFit, readFitModel())
  const found = names.map((): { readonly id: string; readonly raw: number }[] => [])
  for (const record of records) {
    scorer.read(record)
    for (const [number, list] of found.entries()) {
      const raw = scorer.score(number, 1)?.fit.raw
      if (raw !== undefined) list.push({ id: record.id, raw })
    }
  }
  const gain = (of: readonly number[]): number => of.reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0)
  const rows = names.map((name, number) => {
    const first = found[number]!.sort((a, b) => b.raw - a.raw).slice(0, 20)
    const own = first.map(({ id }) => grades.get(`${name} ${id}`))
    const all = [...grades].filter(([key]) => key.startsWith(`${name} `)).map(([, grade]) => grade)
    const ideal = gain(all.sort((a, b) => b - a).slice(0, 20))
    const precision = own.filter((grade) => grade === 2).length / 20
    const graded = own.filter((grade) => grade !== undefined).length
    return `| ${name} | ${precision.toFixed(2)} | ${(gain(own.map((grade) => grade ?? 0)) / ideal).toFixed(3)} | ${graded} |`
  })
  return ['| Company | P@20 | nDCG@20 | graded |', '|---|--:|--:|--:|', ...rows]
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
