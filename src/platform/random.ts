// The only place that draws random numbers; everything else takes them as an argument.
import { randomBytes, randomUUID } from 'node:crypto'

/** Random values without a seed: keys, tokens, IDs. `bytes` is cryptographically strong. */
export type Random = { readonly bytes: (count: number) => Buffer; readonly uuid: () => string }

export const systemRandom: Random = { bytes: (count) => randomBytes(count), uuid: () => randomUUID() }
