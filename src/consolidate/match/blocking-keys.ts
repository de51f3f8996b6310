// Under which keys a record is filed, so that records that may be one tender meet without comparing all with all.
import { bandKeys } from './description-sketch.ts'
import type { MatchRecord, MatchTitle } from './match-record.ts'
import { maxHoldersOfBlock, maxHoldersOfWeakBlock, rareCount } from './thresholds.ts'
import { twinKey } from './twin-key.ts'
import { titleCount } from './word-weights.ts'

/** Whether the key holds nothing but words of the title. */
export const isWeakKey = (key: string): boolean => key.startsWith('w:') || key.startsWith('p:')

/** Maximum number of holders for a key to count. */
export const maxHoldersOf = (key: string): number => (isWeakKey(key) ? maxHoldersOfWeakBlock : maxHoldersOfBlock)

function rarest(words: readonly string[], weights: readonly number[], most: number): string[] {
  return words
    .map((word, index) => ({ word, weight: weights[index]! }))
    .sort((a, b) => b.weight - a.weight || b.word.length - a.word.length || (a.word < b.word ? -1 : 1))
    .slice(0, most)
    .map(({ word }) => word)
}

function titleKeys({ language, words, weights }: MatchTitle, most: number): string[] {
  const rare = rarest(words, weights, most)
  const pairs = rare.flatMap((a, index) => rare.slice(index + 1).map((b) => (a < b ? `p:${a} ${b}` : `p:${b} ${a}`)))
  return [...rare.filter((word) => titleCount(language, word) <= rareCount).map((word) => `w:${word}`), ...pairs]
}

/** Short keys, at most about 30, each once. */
export function blockingKeys(record: MatchRecord): readonly string[] {
  const keys = record.titles.slice(0, 2).flatMap((title, index) => titleKeys(title, index === 0 ? 4 : 3))
  const buyer = record.buyers[0]
  if (buyer) {
    const names = rarest(buyer.words, buyer.weights, 2)
    const days = [...new Set(record.deadlines.map(({ day }) => day))].slice(-2)
    for (const name of names) for (const day of days) keys.push(`b:${name} ${day}`)
    const cpv = record.cpv.find((code) => code.length >= 4)?.slice(0, 4)
    if (cpv && record.firstDay !== undefined) {
      const window = Math.floor(record.firstDay / 14)
      for (const name of names.slice(0, 1)) keys.push(`c:${name} ${cpv} ${window}`, `c:${name} ${cpv} ${window + 1}`)
    }
  }
  const cpv3 = record.cpv.find((code) => code.length >= 3)?.slice(0, 3)
  const day = record.deadlines.at(-1)?.day
  if (cpv3 && day !== undefined && record.towns[0]) keys.push(`t:${record.towns[0]} ${day} ${cpv3}`)
  keys.push(...bandKeys(record.shingles))
  const twin = twinKey(record)
  if (twin !== undefined) keys.push(twin)
  return [...new Set(keys.map((key) => key.slice(0, 60)))]
}
