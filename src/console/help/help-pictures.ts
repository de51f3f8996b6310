// The pictures of the help: screens of the sample stock, kept beside the code under names that change with what they
// show. `RECORD_PICTURES=1 npx vitest run test/console/help.browser.test.ts` takes them again.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language } from '../frame/languages.ts'
import type { PictureName } from './help-texts.ts'

export const pictureFolder = join(import.meta.dirname, 'pictures')

/** Of every picture, in CSS pixels. */
export const pictureSize = { width: 960, height: 600 } as const

export type HelpPictures = {
  /** By address. */
  readonly files: ReadonlyMap<string, Buffer>
  readonly addressOf: (name: PictureName, language: Language) => string | undefined
}

/** Reads all pictures once. */
export function loadPictures(): HelpPictures {
  const files = new Map<string, Buffer>()
  const addresses = new Map<string, string>()
  for (const file of readdirSync(pictureFolder).filter((each) => each.endsWith('.webp'))) {
    const body = readFileSync(join(pictureFolder, file))
    const name = file.replace(/\.webp$/, '')
    const address = `/help/pictures/${name}.${hash('sha256', body).slice(0, 12)}.webp`
    addresses.set(name, address)
    files.set(address, body)
  }
  return { files, addressOf: (name, language) => addresses.get(`${name}-${language}`) }
}
