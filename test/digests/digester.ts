// A process that makes and sends what is due at one moment, and kills itself: `digester.ts FOLDER DATABASE_URL PORT NOW
// STEP DELAY`. Run by kill.system.test.ts.
import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { renderDigestLetter } from '../../src/console/mails/digest-letter.ts'
import { openMailServer } from '../../src/digests/mail-server.ts'
import { makeDigests } from '../../src/digests/make-digests.ts'
import { sendMails } from '../../src/digests/send-mails.ts'
import { openStore } from '../../src/store/database/database.ts'
import { domain } from './digest-world.ts'

const [dataFolder, databaseUrl, port, now, step, delayMs] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const store = await openStore({ dataFolder, ...(databaseUrl !== '' && { databaseUrl }) })
const clock = () => Number(now)
let steps = 0
const die = (): void => void process.kill(process.pid, 'SIGKILL')
const onStep = (): void => {
  if (++steps !== Number(step)) return
  if (delayMs === '0') die()
  else void delay(Number(delayMs)).then(die)
}
const server = openMailServer({ host: '127.0.0.1', port: Number(port), security: 'none', from: `tenders@${domain}` })
await makeDigests(store, { clock, domain, onStep })
await sendMails(
  {
    store,
    clock,
    random: () => 0.5,
    server: {
      send: async (mail, signal) => {
        onStep()
        const attempt = await server.send(mail, signal)
        onStep()
        return attempt
      },
    },
    accepted: new Map(),
    endRecipient: async () => {},
    leaving: undefined,
    renderDigest: (letter) => renderDigestLetter(letter, 'https://tenders.example'),
    renderAccountMail: async () => undefined,
  },
  new AbortController().signal,
)
server.close()
await store.close()
writeSync(1, 'done')
