// Appends editions to the log in a folder until it is killed. Prints each edition's number when the log has taken it.
import { appendEdition, openEditionLog } from '../src/edition/edition-log.ts'
import { entriesOfEdition, infoOfEdition } from './edition-of-number.ts'

const log = await openEditionLog(process.argv[2]!, { clock: () => 0 })
for (let edition = (log.newest?.edition ?? 0) + 1; ; edition++) {
  await appendEdition(log, infoOfEdition(edition), entriesOfEdition(edition))
  process.stdout.write(`${edition}\n`)
}
