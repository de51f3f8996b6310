// Tenders of a copy in SQLite, found as the service finds them, without its index: words are looked for in the titles
// and descriptions of the copy, values are compared where they are in euros.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { TenderRecord } from '../types.ts'
import { timeOf } from './question-dates.ts'
import type { FoundTenders, TenderSource } from './tender-server.ts'
import type { SearchQuestion } from './tool-definitions.ts'

/** The deadline that a bidder meets first. */
const deadline = "nullif(min(coalesce(participation_date, '9999'), coalesce(submission_date, '9999')), '9999')"
const orders = {
  newest: 'publication_date DESC NULLS LAST',
  deadline: 'deadline IS NULL, deadline < :now, CASE WHEN deadline < :now THEN NULL ELSE deadline END, deadline DESC',
  value: 'euros DESC NULLS LAST',
} as const

export function copyTenders(db: DatabaseSync, now: () => number): TenderSource {
  db.function('has_words', { deterministic: true }, (text, words) => (hasWords(String(text), String(words)) ? 1 : 0))
  return {
    search: async (question) => search(db, question, new Date(now()).toISOString()),
    get: async (id) => {
      const row = db.prepare('SELECT record FROM tender WHERE id = ?').get(id.toLowerCase())
      return row && (JSON.parse(String(row.record)) as TenderRecord)
    },
  }
}

function search(
  db: DatabaseSync,
  question: SearchQuestion & { readonly limit: number; readonly offset: number },
  now: string,
): FoundTenders {
  const { where, values } = conditionsOf(question)
  const from = `FROM (SELECT *, ${deadline} AS deadline,
    CASE WHEN contract_currency = 'EUR' THEN contract_value END AS euros FROM tender) AS found
    WHERE ${where.join(' AND ')}`
  const order = question.order === undefined ? (question.words ? 'newest' : 'deadline') : question.order
  const by = orders[order === 'relevance' ? 'newest' : order]
  const { total } = db.prepare(`SELECT count(*) AS total ${from}`).get(values) as { total: number }
  const rows = db
    .prepare(`SELECT record ${from} ORDER BY ${by}, last_modified DESC, id LIMIT :limit OFFSET :offset`)
    .all({ ...values, ...(by.includes(':now') && { now }), limit: question.limit, offset: question.offset })
  return { edition: null, total, records: rows.map(({ record }) => JSON.parse(String(record)) as TenderRecord) }
}

function conditionsOf(question: SearchQuestion): {
  readonly where: string[]
  readonly values: { [name: string]: SQLInputValue }
} {
  const where: string[] = ["status NOT IN ('merged', 'lost')"]
  const values: { [name: string]: SQLInputValue } = {}
  const anyOf = (items: readonly string[], condition: (name: string) => string): void => {
    const names = items.map((item) => {
      const name = `v${Object.keys(values).length}`
      values[name] = item
      return condition(`:${name}`)
    })
    where.push(`(${names.join(' OR ')})`)
  }
  const { words, cpv = [], nuts = [], status = [], buyer } = question
  anyOf(status.length === 0 ? ['open'] : status, (name) => `status = ${name}`)
  const within = (kind: 'cpv' | 'nuts') => (name: string) =>
    `EXISTS (SELECT 1 FROM tender_${kind} WHERE tender_id = found.id AND code GLOB ${name} || '*')`
  if (cpv.length > 0) anyOf(cpv.map(significant), within('cpv'))
  if (nuts.length > 0) anyOf(nuts, within('nuts'))
  if (words !== undefined) anyOf([words], (name) => `has_words(title || ' ' || coalesce(description, ''), ${name})`)
  if (buyer !== undefined) anyOf([buyer], (name) => `has_words(contracting_authority_name, ${name})`)
  const compared = (value: SQLInputValue | undefined, condition: string): void => {
    if (value === undefined) return
    const name = `v${Object.keys(values).length}`
    values[name] = value
    where.push(`${condition} :${name}`)
  }
  compared(instantOf(question, 'published_since'), 'publication_date >=')
  compared(instantOf(question, 'deadline_after'), 'deadline >=')
  compared(instantOf(question, 'deadline_before'), 'deadline <')
  compared(question.value_min, 'euros >=')
  compared(question.value_max, 'euros <=')
  return { where, values }
}

/** `45233` of 45233000: what the codes below it begin with. */
const significant = (code: string): string => code.slice(0, Math.max(2, code.replace(/0+$/, '').length))

function instantOf(question: SearchQuestion, name: Parameters<typeof timeOf>[1]): string | undefined {
  const time = timeOf(question, name)
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** Whether all words are in a text, in any case and without marks; a word may be a part of one. */
function hasWords(text: string, words: string): boolean {
  const folded = fold(text)
  return fold(words)
    .split(/[^\p{L}\p{N}]+/u)
    .every((word) => folded.includes(word))
}

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
