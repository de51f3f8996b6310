// Ends what the chaos run started when the run itself is interrupted: it reads process ids and waits for its standard
// input to close.
import { createInterface } from 'node:readline'

const living = new Map<number, NodeJS.Signals>()

// A signal to the group that ends the run must not end this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const [sign, pid, signal] = line.split(' ')
  if (sign === '+') living.set(Number(pid), signal as NodeJS.Signals)
  else living.delete(Number(pid))
})
lines.on('close', () => {
  for (const [pid, signal] of living) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended by itself.
    }
  }
})
