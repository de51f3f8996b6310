// The filters of a sync, and the hash under which their state is stored (G4).
import type { TendersQuery } from '../types.ts'

/**
 * The filters of a sync. Only without filters is the copy complete: with content filters a record that changes so that
 * it no longer matches is not delivered again (C105, C156); then filter in your own system instead.
 */
export type SyncFilters = Omit<TendersQuery, 'cursor' | 'updated_since' | 'archived' | 'limit'>

/**
 * SHA-256 (first 128 bits, hex) of the filters in a canonical form: the order of members and of codes, repeated codes,
 * and filters that are `undefined` or empty make no difference.
 */
export async function filterHash(filters: SyncFilters): Promise<string> {
  const canonical = Object.entries(filters)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? [...new Set(value)].sort() : value])
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(canonical)))
  return [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
