// How much of a long proof runs: a share in CI, the full count with `npm run proof -- NAME`.
import { crc32 } from 'node:zlib'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'

/** `full` with `npm run proof`, else `share`: counts of kills, failovers, runs, or minutes. */
export function proofCount({ share, full }: { readonly share: number; readonly full: number }): number {
  return process.env['PROOF'] === 'full' ? full : share
}

/** All of them with `npm run proof`, otherwise `share` drawn at random and in their order: many runs reach them all. */
export function proofDraw<Item>(items: readonly Item[], share: number): readonly Item[] {
  let wanted = proofCount({ share, full: items.length })
  // each file draws for itself; programs that a test starts have the draw of their test
  const random = randomOf(seed, crc32(process.env['TEST_FILE'] ?? ''))
  return items.filter((_, index) => {
    const isDrawn = random.next() * (items.length - index) < wanted
    if (isDrawn) wanted--
    return isDrawn
  })
}
