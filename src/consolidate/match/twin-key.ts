// Records of one portal with the same title and buyer: several of them are parts of one project, so a title alone
// proves nothing.
import { hash } from 'node:crypto'
import type { MatchRecord } from './match-record.ts'

/**
 * Key of the records with this buyer and title; undefined without a title. Records of one portal with equal keys that
 * stage A left apart are twins, and `MatchContext.twins` is their number: the largest over the portals of the two
 * records' keys.
 */
export function twinKey(record: MatchRecord): string | undefined {
  const title = record.titles[0]?.joined
  if (!title) return undefined
  const buyer = record.buyers[0]?.words.toSorted().join(' ') ?? ''
  return `s:${hash('sha256', `${buyer}|${title}`, 'base64url').slice(0, 16)}`
}
