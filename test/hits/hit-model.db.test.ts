import fc from 'fast-check'
import { describe, test } from 'vitest'
import { proofCount } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'
import { engines, openTestStore } from '../world.ts'
import { commands, runHitModel, worldInProcess } from './hit-model.ts'

describe.each(engines)('D57: hits of saved searches (%s)', (engine) => {
  test(
    'equal those of the plain loop, each offered once, whatever happens in between',
    async () => {
      console.log(`seed ${seed}`)
      await using store = await openTestStore(engine)
      await fc.assert(
        fc.asyncProperty(commands, (list) => runHitModel(worldInProcess(store), list)),
        { numRuns: proofCount({ share: 20, full: 5000 }), seed },
      )
    },
    4 * 60 * 60_000,
  )
})
