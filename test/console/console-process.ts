// A console in a separate process, to be killed. Run: node test/console/console-process.ts OPTIONS, as JSON: the
// options of `openStore`, and the time. Prints its address.
import type { TestStore } from '../world.ts'
import { openConsoleWorld } from './console-world.ts'

const { on, start } = JSON.parse(process.argv[2]!) as { readonly on: TestStore['options']; readonly start: number }
const world = await openConsoleWorld(on.databaseUrl === undefined ? 'embedded' : 'server', {
  on,
  start,
  // each process has its own data folder
  config: { secretKey: Buffer.alloc(32, 7) },
})
console.log(world.origin)
