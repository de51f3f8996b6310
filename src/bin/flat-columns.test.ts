import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { copiedFile, flatCopy, flatFiles } from './flat-columns.ts'

test.each(flatFiles)('src/export/flat/%s.ts is as `npm run generate` writes it', (name) => {
  expect(readFileSync(copiedFile(name), 'utf8')).toBe(flatCopy(name))
})
