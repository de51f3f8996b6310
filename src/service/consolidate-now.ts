// Consolidation outside the rounds: what a command changed shows at once.
import { consolidate } from '../consolidate/consolidate.ts'
import type { Emit } from './command-event.ts'
import type { ServiceContext } from './operation-context.ts'

export async function consolidateNow(context: Pick<ServiceContext, 'store' | 'clock'>, emit: Emit): Promise<void> {
  const summary = await consolidate(context.store, {
    now: context.clock(),
    onProgress: (progress) => emit({ event: 'progress', stage: 'consolidate', ...progress }),
  })
  emit({ event: 'consolidated', ...summary, changed: summary.changed + summary.created })
}
