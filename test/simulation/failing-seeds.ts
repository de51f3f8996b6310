// Seeds that once failed are kept and always run first.
import { appendFile, readFile } from 'node:fs/promises'

const path = new URL('./failing-seeds.txt', import.meta.url)

/** One seed a line; what follows `#` is for readers. */
export async function readFailingSeeds(): Promise<number[]> {
  const text = await readFile(path, 'utf8')
  const seeds = text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .map(Number)
  return [...new Set(seeds)]
}

export async function keepFailingSeed(seed: number, invariant: string): Promise<void> {
  if ((await readFailingSeeds()).includes(seed)) return
  await appendFile(path, `${seed} # ${invariant}\n`)
}
