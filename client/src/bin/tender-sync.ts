#!/usr/bin/env node
// The program: passes the process to the commands and listens for signals.
import { createInterface } from 'node:readline/promises'
import { closeOwnFiles } from '../sinks/files/own-files.ts'
import { timerSleep } from '../sleep.ts'
import { main } from './main.ts'

closeOwnFiles()

const ending = new AbortController()
const stop = (): void => {
  // Requested twice: the person means it. Work in progress is undone at the next start.
  if (ending.signal.aborted) process.exit(130)
  ending.abort()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
process.on('SIGHUP', stop)
// A program that closes the pipe early (| head) is not an error.
process.stdout.on('error', () => {})
// SQLite works since Node 22.5 and was called experimental until Node 24.
process.removeAllListeners('warning')
process.on('warning', (warning) => {
  if (!(warning.name === 'ExperimentalWarning' && warning.message.includes('SQLite')))
    process.stderr.write(`${warning.name}: ${warning.message}\n`)
})

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await prompt.question(question, { signal: ending.signal })
  } finally {
    prompt.close()
  }
}

process.exitCode = await main(process.argv.slice(2), {
  variables: process.env,
  input: process.stdin,
  stdout: process.stdout,
  stderr: {
    write: (text) => process.stderr.write(text),
    get columns() {
      // A terminal that does not know its width says 0.
      return process.stderr.isTTY ? process.stderr.columns || 80 : undefined
    },
  },
  ask,
  now: () => Date.now(),
  clock: () => performance.now(),
  random: () => Math.random(),
  sleep: timerSleep,
  signal: ending.signal,
})
