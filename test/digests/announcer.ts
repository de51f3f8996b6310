// A process that begins, changes and ends incidents and maintenance as fast as it can until it is killed: `announcer.ts
// DATA_FOLDER DATABASE_URL NOW`. Run by status-mails-kill.system.test.ts.
import { writeSync } from 'node:fs'
import { addIncident, editIncident, endIncident, incidentVersion } from '../../src/actions/incidents.ts'
import { closeApi, openApi } from '../../src/actions/maintenance.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { type Executor, inTransaction, openStore } from '../../src/store/database/database.ts'

const [dataFolder, databaseUrl, start] = process.argv.slice(2) as [string, string, string]
const store = await openStore({ dataFolder, databaseUrl })
let now = Number(start)
const acting = () => ({ actor: 'operator', addressPrefix: '', random: systemRandom, mailDomain: 'example.org', now })
const run = <T>(work: (trx: Executor) => Promise<T>): Promise<T> => {
  now += 1000
  return inTransaction(store, work)
}
writeSync(1, 'ready')
for (;;) {
  const input = { title: 'Late', detail: 'Wait.', startedAt: now }
  const incidentId = await run((trx) => addIncident(trx, acting(), input))
  const edit = { incidentId, seen: incidentVersion(input), input: { ...input, detail: 'Wait longer.' } }
  await run((trx) => editIncident(trx, acting(), edit))
  await run((trx) => closeApi(trx, acting(), now + 3_600_000))
  await run((trx) => openApi(trx, acting()))
  await run((trx) => endIncident(trx, acting(), incidentId))
}
