// Seals short secrets that must be readable again, such as those that sign webhooks: AES-256-GCM (NIST SP 800-38D).
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from './errors.ts'
import { makeFolder } from './folders.ts'

/**
 * Opens and seals with one key. `context` says what the secret belongs to: a secret sealed for one context cannot be
 * opened for another.
 */
export type Sealer = {
  readonly seal: (secret: Uint8Array, context: string) => Buffer
  /** Undefined when it was sealed with another key or for another context, or was altered. */
  readonly open: (sealed: Uint8Array, context: string) => Buffer | undefined
}

const cipherName = 'aes-256-gcm'
const keyLength = 32
const nonceLength = 12
const tagLength = 16

export function createSealer(key: KeyObject, randomBytes: (count: number) => Uint8Array): Sealer {
  return {
    seal: (secret, context) => {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv(cipherName, key, nonce, { authTagLength: tagLength }).setAAD(Buffer.from(context))
      return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
    },
    open: (sealed, context) => {
      if (sealed.length < nonceLength + tagLength) return undefined
      const decipher = createDecipheriv(cipherName, key, sealed.subarray(0, nonceLength), { authTagLength: tagLength })
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(sealed.length - tagLength))
      const secret = decipher.update(sealed.subarray(nonceLength, sealed.length - tagLength))
      try {
        return Buffer.concat([secret, decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

/** The bytes of a key as the environment or a file holds it: 32 bytes in base64. Undefined for any other text. */
export function secretKeyOf(text: string): Buffer | undefined {
  const trimmed = text.trim()
  if (!/^[A-Za-z0-9+/]{43}=$/.test(trimmed)) return undefined
  const bytes = Buffer.from(trimmed, 'base64')
  return bytes.length === keyLength ? bytes : undefined
}

/** File of the key when the environment has none. */
export const secretKeyFile = 'secret-key'

type KeyPlace = {
  /** TENDERSTOCK_SECRET_KEY. */
  readonly given?: Uint8Array
  readonly dataFolder: string
}

/**
 * The key of this stock: the given one, or that of the file in the data folder, which is created with mode 0600 when
 * missing. Throws OperatorError when the file holds no key.
 */
export async function openSecretKey(
  options: KeyPlace & { readonly randomBytes: (count: number) => Uint8Array },
): Promise<KeyObject> {
  const found = await findSecretKey(options)
  if (found) return found
  // with a database server the folder may not exist yet
  await makeFolder(options.dataFolder)
  const path = join(options.dataFolder, secretKeyFile)
  await writeKey(path, Buffer.from(options.randomBytes(keyLength)).toString('base64'), options.randomBytes)
  return (await findSecretKey(options))!
}

/** The given key, or the one in the file; undefined for none. Throws OperatorError for a file without a key. */
export async function findSecretKey({ given, dataFolder }: KeyPlace): Promise<KeyObject | undefined> {
  if (given) return createSecretKey(given)
  const path = join(dataFolder, secretKeyFile)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const bytes = secretKeyOf(text)
  if (!bytes)
    throw new OperatorError(
      'key-file-damaged',
      `${path} holds no key of 32 bytes in base64; restore the file, or set TENDERSTOCK_SECRET_KEY. Secrets ` +
        'sealed with a lost key must be replaced: tenderstock webhook rotate.',
    )
  return createSecretKey(bytes)
}

/** Distinguishes keys without revealing anything about them. */
export function printOfKey(key: KeyObject): string {
  return createHmac('sha256', key).update('print').digest('hex').slice(0, 32)
}

/** Writes the file completely or not at all; of several that write at the same time, one wins. */
async function writeKey(path: string, text: string, randomBytes: (count: number) => Uint8Array): Promise<void> {
  const aside = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`
  try {
    await writeFile(aside, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await link(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(aside, { force: true })
  }
}
