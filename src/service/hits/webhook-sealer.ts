// The key that seals the secrets of webhooks, and whether it is the one that this stock's secrets were sealed with.
import type { KeyObject } from 'node:crypto'
import type { Config } from '../../platform/config.ts'
import { refused } from '../../platform/errors.ts'
import type { Random } from '../../platform/random.ts'
import { createSealer, openSecretKey, printOfKey, type Sealer, secretKeyFile } from '../../platform/sealing.ts'
import type { Store } from '../../store/database/database.ts'
import { getOrCreateSetting, keyPrintSetting, setSetting } from '../../store/database/settings.ts'

export type SealerContext = {
  readonly store: Pick<Store, 'db'>
  readonly dataFolder: string
  readonly config: Pick<Config, 'secretKey'>
  readonly random: Random
}

export async function openSealer(context: SealerContext, options: { acceptsNewKey?: boolean } = {}): Promise<Sealer> {
  return createSealer(await openStockKey(context, options), context.random.bytes)
}

/**
 * Opens the key of this stock, or creates one. Throws OperatorError when the stock's secrets were sealed with another
 * key; with `acceptsNewKey` this key replaces it, and the old secrets no longer sign.
 */
export async function openStockKey(
  { store, dataFolder, config, random }: SealerContext,
  { acceptsNewKey = false } = {},
): Promise<KeyObject> {
  const key = await openSecretKey({
    dataFolder,
    randomBytes: random.bytes,
    ...(config.secretKey && { given: config.secretKey }),
  })
  const print = printOfKey(key)
  if (acceptsNewKey) await setSetting(store.db, keyPrintSetting, print)
  else if ((await getOrCreateSetting(store.db, keyPrintSetting, print)) !== print)
    throw refused({
      code: 'other-key',
      values: { file: config.secretKey ? null : secretKeyFile, folder: dataFolder },
    })
  return key
}
