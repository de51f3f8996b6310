// The key that seals the secrets of webhooks, and whether it is the one that this stock's secrets were sealed with.
import { createHmac, type KeyObject } from 'node:crypto'
import type { Config } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import type { Random } from '../platform/random.ts'
import { createSealer, openSecretKey, type Sealer, secretKeyFile } from '../platform/sealing.ts'
import type { Store } from '../store/database.ts'
import { getOrCreateSetting, setSetting } from '../store/settings.ts'

const printSetting = 'secret-key-print'

export type SealerContext = {
  readonly store: Pick<Store, 'db'>
  readonly dataFolder: string
  readonly config: Pick<Config, 'secretKey'>
  readonly random: Random
}

/**
 * Opens the key of this stock, or creates one. Throws OperatorError when the stock's secrets were sealed with another
 * key; with `acceptsNewKey` this key replaces it, and the old secrets no longer sign.
 */
export async function openSealer(
  { store, dataFolder, config, random }: SealerContext,
  { acceptsNewKey = false } = {},
): Promise<Sealer> {
  const key = await openSecretKey({
    dataFolder,
    randomBytes: random.bytes,
    ...(config.secretKey && { given: config.secretKey }),
  })
  const print = printOf(key)
  if (acceptsNewKey) await setSetting(store.db, printSetting, print)
  else if ((await getOrCreateSetting(store.db, printSetting, print)) !== print)
    throw new OperatorError(
      `The secrets of webhooks were encrypted with a different key than ${config.secretKey ? 'TENDERSTOCK_SECRET_KEY' : `the file ${secretKeyFile} in ${dataFolder}`}; use the former key, or replace every secret: tenderstock webhook rotate ID --accept-new-key`,
    )
  return createSealer(key, random.bytes)
}

/** Distinguishes keys without revealing anything about them. */
function printOf(key: KeyObject): string {
  return createHmac('sha256', key).update('print').digest('hex').slice(0, 32)
}
