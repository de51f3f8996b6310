// The processes that a chaos run has started and that are still running. They end with the run, however it ends.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export type LivingProcesses = {
  /**
   * The signal that ends it if the run is interrupted: SIGKILL, or SIGQUIT for a PostgreSQL server and its children.
   */
  readonly add: (pid: number | undefined, signal?: NodeJS.Signals) => void
  readonly remove: (pid: number | undefined) => void
  readonly close: () => Promise<void>
}

/** Starts the process that watches over them. */
export function watchProcesses(): LivingProcesses {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts')], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
  reaper.stdin.on('error', () => {})
  const ended = new Promise<void>((resolve) => reaper.once('close', () => resolve()))
  const tell = (line: string) => void (reaper.stdin.writable && reaper.stdin.write(`${line}\n`))
  return {
    add: (pid, signal = 'SIGKILL') => pid !== undefined && tell(`+ ${pid} ${signal}`),
    remove: (pid) => pid !== undefined && tell(`- ${pid}`),
    close: async () => {
      reaper.stdin.end()
      await ended
    },
  }
}
