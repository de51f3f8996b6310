import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSealer, openSecretKey, secretKeyFile, secretKeyOf } from './sealing.ts'

const sealer = () => createSealer(createSecretKey(randomBytes(32)), randomBytes)

describe('a sealed secret', () => {
  test('opens for its context, and for no other', () => {
    const { seal, open } = sealer()
    const secret = randomBytes(32)
    const sealed = seal(secret, 'endpoint 1')
    expect(open(sealed, 'endpoint 1')).toEqual(secret)
    expect(open(sealed, 'endpoint 2')).toBeUndefined()
    expect(sealer().open(sealed, 'endpoint 1')).toBeUndefined()
    expect(sealed.includes(secret)).toBe(false)
    expect(seal(secret, 'endpoint 1')).not.toEqual(sealed)
  })

  test('does not open when any byte differs or is missing', () => {
    const { seal, open } = sealer()
    const sealed = seal(Buffer.from('secret'), 'a')
    for (let index = 0; index < sealed.length; index++) {
      const altered = Buffer.from(sealed)
      altered[index]! ^= 1
      expect(open(altered, 'a')).toBeUndefined()
      expect(open(sealed.subarray(0, index), 'a')).toBeUndefined()
    }
  })
})

describe('the key', () => {
  test('is created once, for its owner only, and read again', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
    const dataFolder = join(parent, 'data')
    try {
      const opened = await Promise.all(Array.from({ length: 20 }, () => openSecretKey({ dataFolder, randomBytes })))
      expect(new Set(opened.map((key) => key.export().toString('hex'))).size).toBe(1)
      expect(await readdir(dataFolder)).toEqual([secretKeyFile])
      const first = opened[0]!
      const path = join(dataFolder, secretKeyFile)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect(secretKeyOf(await readFile(path, 'utf8'))).toEqual(first.export())
      expect((await openSecretKey({ dataFolder, randomBytes })).export()).toEqual(first.export())
      const given = randomBytes(32)
      expect((await openSecretKey({ given, dataFolder, randomBytes })).export()).toEqual(given)
      await writeFile(path, 'short')
      await expect(openSecretKey({ dataFolder, randomBytes })).rejects.toThrow(/holds no key of 32 bytes/)
    } finally {
      await rm(parent, { recursive: true })
    }
  })

  test.each([
    '',
    'x',
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
    randomBytes(32).toString('hex'),
  ])('%s is refused', (text) => {
    expect(secretKeyOf(text)).toBeUndefined()
  })
})
