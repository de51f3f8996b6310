// Bugs of the client that were planted and seen by no test nearby: the test beside each file must find them.
import { existsSync } from 'node:fs'
import type { PlantedEdit } from '../planted-edit.ts'

/** `from` occurs once in the file. */
export type Bug = PlantedEdit

export const testBeside = ({ file }: Bug): string =>
  ['', '.db', '.system'].map((kind) => file.replace(/\.ts$/, `${kind}.test.ts`)).find((path) => existsSync(path))!

export const plantedBugs: readonly Bug[] = [
  {
    name: 'the log is emptied before the new base is in place',
    file: 'client/src/sinks/files/working-copy.ts',
    from: 'await putInPlace(temporary, base, readers)\n    await replaceLog(this.#logPath, mark)',
    to: 'await replaceLog(this.#logPath, mark)\n    await putInPlace(temporary, base, readers)',
  },
  {
    name: 'the same version with other content is ignored',
    file: 'client/src/sinks/files/working-copy.ts',
    from: 'lastModifiedMs === held?.lastModifiedMs && print.hash === held.print.hash',
    to: 'lastModifiedMs === held?.lastModifiedMs',
  },
  {
    name: 'a reopened record is not reopened in the CRM',
    file: 'client/src/sinks/crm/crm-writes.ts',
    from: "was !== undefined && was !== 'open')",
    to: "was === 'closed') && isUnsure",
  },
  {
    name: 'a merged record is not reopened in the CRM',
    file: 'client/src/sinks/crm/crm-writes.ts',
    from: "was !== undefined && was !== 'open')",
    to: "was === 'closed')",
  },
  {
    name: 'the fields of a reopening are not written',
    file: 'client/src/sinks/crm/crm-writes.ts',
    from: '      ...(isReopening ? (mapping.reopen?.fields ?? []) : []),\n',
    to: '',
  },
  {
    name: 'changes are walked since the latest of many left-over records',
    file: 'client/src/sync/walk-run.ts',
    from: 'floor = earlierOf(floor, lastModified)\n      return floor',
    to: 'floor = laterOf(floor, lastModified)\n      return floor',
  },
  {
    name: 'changes are walked since the latest of a few left-over records',
    file: 'client/src/sync/walk-run.ts',
    from: "if (found === 'old') floor = earlierOf(floor, lastModified)",
    to: "if (found === 'old') floor = laterOf(floor, lastModified)",
  },
  {
    name: 'a difference that no run repairs is forgotten by a run that could not compare',
    file: 'client/src/sync/walk-run.ts',
    from: 'isDifferent ? wasLeftDifferent : before?.isDifferent === true',
    to: 'isDifferent === true && wasLeftDifferent',
  },
  {
    name: 'a difference that no run repairs is forgotten by the run after the repair',
    file: 'client/src/sync/walk-run.ts',
    from: 'wasRepaired || before?.isDifferent === true',
    to: 'wasRepaired',
  },
  {
    name: 'older replaces newer in the staging',
    file: 'client/src/sinks/postgres/postgres-tables.ts',
    from: 'record_hash = excluded.record_hash\n       where ',
    to: 'record_hash = excluded.record_hash\n       where true or ',
  },
  {
    name: 'watch sleeps after a run that was resumed',
    file: 'client/src/sync/watch.ts',
    from: "    if (outcome.result === 'completed' && outcome.isResumed) continue\n",
    to: '',
  },
  {
    name: 'an error whose body breaks off has no status',
    file: 'client/src/tender-client.ts',
    from: "await inTime(readText(response, mostErrorBytes)).catch(() => '')",
    to: 'await inTime(readText(response, mostErrorBytes))',
  },
  {
    name: 'a refusal by the CRM forgets what was sent before',
    file: 'client/src/sinks/http-upsert-sink.ts',
    from: '      ...(write.sending && { sending: write.sending }),\n',
    to: '',
  },
  {
    name: 'what the CRM may hold is not closed in the run that could not send it again',
    file: 'client/src/sinks/http-upsert-sink.ts',
    from: '!isCreating && !stored?.sending',
    to: '!isCreating',
  },
  {
    name: 'the survivor that the engine found is not the one to which a merged record points',
    file: 'client/src/sinks/http-upsert-sink.ts',
    from: 'crm.want(merges, crm.keepsArchived)',
    to: 'crm.want(merges.map(({ record }) => ({ record })), crm.keepsArchived)',
  },
  {
    name: 'the lookup in the CRM ignores the time of what it finds',
    file: 'client/src/sinks/crm/crm-objects.ts',
    from: 'new Date(Number.isNaN(modified) ? 0 : modified)',
    to: 'new Date(0)',
  },
]
