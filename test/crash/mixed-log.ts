// Opens an edition log of which one file comes from another moment, as a backup that copies file by file may leave it,
// and prints the faults as JSON: `mixed-log.ts FOLDER SEED TRIALS`. A log that opens must be complete; without its own
// checkpoint, which only saves time, the log must open as before.
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { wholePage } from '../../src/edition/format/pieces.ts'
import { appendEdition, type EditionLog, openEditionLog } from '../../src/edition/write/edition-log.ts'
import { entriesOfEdition, infoOfEdition, recordsOfEdition } from '../edition-of-number.ts'
import { randomOf } from '../testing/generate/random.ts'

const [folder, seed, trials] = process.argv.slice(2) as [string, string, string]
const moments = 50
const fileNames = ['checkpoint', 'index.log', 'plain.bin', 'gzip.bin', 'hashes']
/** Checkpoints and copies without superseded records are made as often as possible. */
const options = { clock: () => 0, toleratedEntries: 60, toleratedReplay: 60 }
const folderOf = (moment: number): string => join(folder, `moment-${moment}`)

const log = await openEditionLog(join(folder, 'log'), options)
for (let edition = 1; edition <= moments; edition++) {
  await appendEdition(log, infoOfEdition(edition), entriesOfEdition(edition))
  await log.idle()
  cpSync(join(folder, 'log'), folderOf(edition), { recursive: true })
}
await log.close()

/** The file of the generation in use. */
function placeOf(name: string, inFolder: string): string {
  const generations = readdirSync(inFolder).filter((each) => each.startsWith('generation-'))
  const used = generations.filter((each) => existsSync(join(inFolder, each, 'index.log')))
  return join(inFolder, used.at(-1)!, name)
}

function recordsOf(opened: EditionLog, edition: number): unknown[] {
  const { positions } = opened.list({ filter: { archived: true }, edition, limit: 1000 })
  const page = wholePage(opened.pageBody(positions, edition, 'identity'), null)
  return (JSON.parse(page.toString()) as { data: unknown[] }).data
}

async function faultOf(opened: EditionLog, moment: number, name: string): Promise<string | undefined> {
  const edition = opened.newest?.edition
  if (name === 'checkpoint' && edition !== moment) return `opens with edition ${edition}`
  if (edition === undefined) return undefined
  let records: unknown[]
  try {
    records = recordsOf(opened, edition)
  } catch {
    // Damage that is reported.
    return undefined
  }
  return isDeepStrictEqual(records, recordsOfEdition(edition)) ? undefined : `shows another edition ${edition}`
}

const random = randomOf(Number(seed))
const faults: string[] = []
for (let trial = 0; trial < Number(trials); trial++) {
  const [moment, other] = [random.integer(1, moments), random.integer(1, moments)]
  const name = random.pick(fileNames)
  const from = placeOf(name, folderOf(other))
  if (!existsSync(from)) continue
  const mixed = join(folder, 'mixed')
  rmSync(mixed, { recursive: true, force: true })
  mkdirSync(mixed)
  cpSync(folderOf(moment), mixed, { recursive: true })
  cpSync(from, placeOf(name, mixed))
  const opened = await openEditionLog(mixed, options)
  const fault = await faultOf(opened, moment, name)
  if (fault) faults.push(`edition ${moment} with the ${name} of edition ${other} ${fault}`)
  await opened.idle()
  await opened.close()
}
process.stdout.write(`${JSON.stringify(faults)}\n`)
