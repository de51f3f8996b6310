// Mistakes that are written into the source of the client while a process of the simulation loads it: in the engine,
// and in the sinks that it ships. Each must be found by an invariant that does not know about it.
import { plantedEdits as durabilityEdits } from '../crash/planted-edits.ts'
import type { PlantedEdit } from '../planted-edit.ts'
import type { Profile, SinkKind } from './profile.ts'

/** `canShow`: runs that cannot show it, or hardly ever, are skipped. */
export type SimulatedEdit = PlantedEdit & { readonly canShow?: (profile: Profile) => boolean }

const withKind =
  (...kinds: readonly SinkKind[]) =>
  ({ clients }: Profile): boolean =>
    clients.some(({ kind }) => kinds.includes(kind))

export const plantedEdits: readonly SimulatedEdit[] = [
  {
    name: 'the filter hash is blind to value_max',
    file: 'client/src/sync/sync-filters.ts',
    from: '.filter(([, value]) => value !== undefined',
    to: ".filter(([name, value]) => name !== 'value_max' && value !== undefined",
    canShow: ({ clients, weights }) =>
      weights.changeFilters >= 1 && clients.some(({ filters }) => filters.value_max !== undefined),
  },
  {
    name: 'a restored merge that is none any more is dropped',
    file: 'client/src/sync/merge-queue.ts',
    from: '      else if (record) await this.#options.write(record)\n',
    to: '',
    canShow: ({ weights, pageCap, eventRate }) =>
      weights.reopen >= 3 && weights.merge >= 3 && pageCap <= 3 && eventRate >= 0.25,
  },
  {
    name: 'nobody asks for the close() of an archived survivor',
    file: 'client/src/sync/walk-run.ts',
    from: '    if (record.archiveReason !== undefined) await sink.close([record])\n',
    to: '',
  },
  {
    name: 'after more than 600 left-over records nothing is run over',
    file: 'client/src/sync/walk-run.ts',
    from: 'floor = earlierOf(floor, lastModified)\n      return floor',
    to: 'floor = earlierOf(floor, lastModified)\n      return undefined',
    canShow: ({ isLarge }) => isLarge,
  },
  {
    name: 'a copy is compared with the edition of a node that lags',
    file: 'client/src/sync/copy-digest.ts',
    from: 'if (!stock || stock.edition < since) return undefined',
    to: 'if (!stock) return undefined',
  },
  {
    name: 'a copy with records of a later edition is compared',
    file: 'client/src/sync/copy-digest.ts',
    from: 'reached === undefined || instantMs(newest) > instantMs(reached)',
    to: 'reached === undefined',
    canShow: ({ weights }) => weights.merge >= 1,
  },
  {
    name: 'a program killed by a signal counts as having taken its records',
    file: 'client/src/sinks/exec-sink.ts',
    from: "resolve(code ?? signal ?? 'unknown')",
    to: 'resolve(code ?? 0)',
    canShow: withKind('exec'),
  },
  {
    name: 'what a program may have taken is not given again first',
    file: 'client/src/sinks/exec-sink.ts',
    from: 'events = await unsureEvents()',
    to: 'events = []',
    canShow: withKind('exec'),
  },
  {
    name: 'a CRM mapping is not asked how a record is reopened',
    file: 'client/src/sinks/crm/crm-writes.ts',
    from: '      ...(isReopening ? (mapping.reopen?.fields ?? []) : []),\n',
    to: '',
    canShow: withKind('crm'),
  },
  {
    name: 'what is sent to a CRM is not noted before',
    file: 'client/src/sinks/http-upsert-sink.ts',
    from: '    await this.#noteSending(known, writes)\n',
    to: '',
    canShow: withKind('crm'),
  },
  // SQLite is in memory here: the power cuts of test/crash test its durability.
  ...durabilityEdits
    .filter(({ kind }) => kind !== 'sqlite')
    .map((edit) => ({ ...edit, canShow: withKind('ndjson', 'exec') })),
]
