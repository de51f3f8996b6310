// `npm run proof -- NAME`: runs a long proof with its full counts.
import { spawn } from 'node:child_process'
import { proofs } from './proofs.ts'

function usage(): string {
  const width = Math.max(...Object.keys(proofs).map((name) => name.length))
  const lines = Object.entries(proofs).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`)
  return `Usage: npm run proof -- NAME\n\nRuns a long proof with its full counts.\n\n${lines.join('\n')}\n`
}

const names = process.argv.slice(2)
const proof = names.length === 1 ? proofs[names[0]!] : undefined
if (!proof) {
  const isHelp = names.length === 0 || names.includes('--help')
  process.stderr.write(isHelp ? usage() : `There is no proof "${names.join(' ')}".\n${usage()}`)
  process.exitCode = isHelp ? 0 : 2
} else {
  const child = spawn('vitest', ['run', ...proof.files], {
    stdio: 'inherit',
    env: { ...process.env, ...proof.env, PROOF: 'full' },
  })
  child.on('error', (error) => {
    process.stderr.write(`The test runner does not start (${error.message}). Run: npm ci\n`)
    process.exitCode = 1
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
