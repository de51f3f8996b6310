// Appends editions to the log in a folder until it is killed, or the log cannot grow. Prints the number of each edition
// when the log has accepted it. Checkpoints and copies without superseded records are made as often as possible. With
// `findable` as second argument, a word index is kept.
import { appendEdition, openEditionLog } from '../src/edition/write/edition-log.ts'
import { entriesOfEdition, infoOfEdition } from './edition-of-number.ts'

const log = await openEditionLog(process.argv[2]!, {
  clock: () => 0,
  toleratedEntries: 60,
  toleratedReplay: 60,
  onWarning: (warning) => process.stderr.write(`${warning}\n`),
})
if (process.argv[3] === 'findable') log.keepFindable()
for (let edition = (log.newest?.edition ?? 0) + 1; ; edition++) {
  await appendEdition(log, infoOfEdition(edition), entriesOfEdition(edition))
  process.stdout.write(`${edition}\n`)
}
