import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const program = `
import { setTimeout as delay } from 'node:timers/promises'
import { appendEdition, openEditionLog } from './src/edition/write/edition-log.ts'
import { entriesOfEdition, infoOfEdition } from './test/edition-of-number.ts'
const log = await openEditionLog(process.argv[1], { clock: () => 0 })
await appendEdition(log, infoOfEdition(1), entriesOfEdition(1))
log.keepFindable()
const question = { order: 'newest', offset: 0, limit: 1, at: 0 }
while (log.findTenders(question).indexed < 1) await delay(20)
console.log('indexed')
`

test('a service that ends without closing its log is not kept alive by the word index', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-indexing-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const root = join(import.meta.dirname, '../../..')
  // a process that stays alive is killed, and the promise rejects
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', program, folder], {
    cwd: root,
    timeout: 60_000,
  })
  expect(ran.stdout).toBe('indexed\n')
}, 90_000)
