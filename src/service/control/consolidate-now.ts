// Consolidation outside the rounds: what a command changed shows at once.
import { consolidate } from '../../consolidate/consolidate.ts'
import { rebuildState } from '../../store/editions/rebuild-mark.ts'
import type { Emit } from '../events/command-event.ts'
import type { ServiceContext } from './operation-context.ts'

/** With the version of this program, it also derives tenders for a rebuild by another process. */
export async function consolidateNow(
  context: Pick<ServiceContext, 'store' | 'clock'>,
  emit: Emit,
  rebuilding: { readonly version?: string } = {},
): Promise<void> {
  const summary = await consolidate(context.store, {
    ...rebuilding,
    now: context.clock(),
    onProgress: (progress) => emit({ event: 'progress', stage: 'consolidate', ...progress }),
  })
  if ((await rebuildState(context.store)) !== 'none')
    emit({ event: 'warning', message: 'The stock is being rebuilt: new notices join it when that has ended.' })
  emit({ event: 'consolidated', ...summary, changed: summary.changed + summary.created })
}
