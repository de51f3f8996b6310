// tender-sync for which waits take no time, and an answer ANSWER_SECONDS at most. Started as a process, so that it can
// be killed.
import { main } from '../../client/src/bin/main.ts'

const answerMs = Number(process.env['ANSWER_SECONDS']) * 1000

process.exitCode = await main(process.argv.slice(2), {
  variables: process.env,
  input: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  ask: async () => undefined,
  now: () => Date.now(),
  clock: () => performance.now(),
  random: () => Math.random(),
  sleep: async () => {},
  signal: new AbortController().signal,
  fetch: (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([init!.signal!, AbortSignal.timeout(answerMs)]) }),
})
