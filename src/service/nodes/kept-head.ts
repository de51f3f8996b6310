// The newest head of the bucket that a node has accepted, beside its edition log: a restarted node still knows which
// publishers were replaced.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeadMemory, SeenHead } from '../../edition/write/bucket-source.ts'
import { jsonIn } from '../../platform/json-in.ts'

const name = 'bucket-head.json'

export function keptHead(dataFolder: string): HeadMemory {
  const path = join(dataFolder, name)
  return {
    load: async () => seenIn(await readFile(path, 'utf8').catch(() => '')),
    save: async (seen) => {
      await writeFile(`${path}.new`, JSON.stringify(seen), { mode: 0o600, flush: true })
      await rename(`${path}.new`, path)
    },
  }
}

/** Undefined for a file that is missing or torn: the log and the epochs still tell an older bucket. */
function seenIn(text: string): SeenHead | undefined {
  const { stockId, fence, epoch } = (jsonIn(text) ?? {}) as { readonly [name in keyof SeenHead]?: unknown }
  if (typeof stockId !== 'string' || typeof fence !== 'number' || typeof epoch !== 'number') return undefined
  return { stockId, fence, epoch }
}
