// Mistakes in the source of the client; a process that loads each searches for it.
import { expect, it } from 'vitest'
import { proofDraw } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'
import { findPlanted } from './find-planted.ts'
import { plantedEdits } from './planted-edits.ts'

/** No assertion: a machine that is busy with other things needs longer. */
const timeout = 900_000

it.each(proofDraw(plantedEdits, 4).map((planted) => [planted.name, planted] as const))(
  'a mistake planted in the source of the client is found: %s',
  { timeout },
  async (name, planted) => {
    const { runs: tried, failure } = await findPlanted(planted, seed, 40_000)
    console.log(
      `planted: ${name}: ${failure ? `${failure.invariant} in run ${tried} (seed ${failure.seed}, step ${failure.step})` : `not found, seed ${seed}`}`,
    )
    expect(failure).toBeDefined()
  },
)
