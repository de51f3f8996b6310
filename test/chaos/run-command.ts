// One command of the program, run to its end, unless it is killed.
import { spawn } from 'node:child_process'
import type { LivingProcesses } from './living-processes.ts'

type CommandResult = { readonly code: number | null; readonly output: string }
export type RunningCommand = { readonly result: Promise<CommandResult>; readonly kill: () => void }

/** Starts node with these arguments. */
export function runCommand(
  args: readonly string[],
  { cwd, env, living }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly living: LivingProcesses },
): RunningCommand {
  const child = spawn(process.execPath, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  living.add(child.pid)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
  const result = new Promise<CommandResult>((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: String(error) }))
    child.once('close', (code) => {
      living.remove(child.pid)
      resolve({ code, output })
    })
  })
  return { result, kill: () => void child.kill('SIGKILL') }
}
