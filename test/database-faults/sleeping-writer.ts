// Takes the right to publish, writes under it, and stops in the middle of the transaction: it closes and ends nothing.
// Reports what happened when it is continued. Run by frozen-writer.system.test.ts.
import { writeSync } from 'node:fs'
import { inTransaction, openStore } from '../../src/store/database/database.ts'
import { setSetting } from '../../src/store/database/settings.ts'
import { saveProgress, takeLease, underLease } from '../../src/store/editions/publication.ts'

const [databaseUrl] = process.argv.slice(2) as [string]
const store = await openStore({ databaseUrl, dataFolder: '' })
const say = (outcome: string): void => void writeSync(1, `${JSON.stringify({ outcome })}\n`)
const lease = (await inTransaction(store, takeLease))!
const write = (name: string) =>
  underLease(store, lease, async (trx) => {
    await saveProgress(trx, { afterId: name, added: 1, replaced: 0, checksum: name })
    await setSetting(trx, name, 'written')
    if (name !== 'asleep') return
    process.kill(process.pid, 'SIGSTOP')
    await setSetting(trx, 'woken', 'written')
  })
try {
  await write('asleep')
  say('committed')
} catch (error) {
  // it tries again, as a publisher whose connection broke does
  const second = await write('again').then(
    () => 'committed again',
    (reason: Error) => reason.name,
  )
  say(`${(error as { code?: string }).code ?? (error as Error).message}, then ${second}`)
} finally {
  await store.close()
}
