import { expect, test } from 'vitest'
import { assertOpenFiles } from './open-files.ts'

test('a process that may open too few files says how many it needs; one whose system tells no limit goes on', () => {
  expect(() => assertOpenFiles('the database', 512, 128)).toThrow(/may open 128 files, and the database needs 512; /)
  expect(() => assertOpenFiles('the database', 512, 128)).toThrow(expect.objectContaining({ code: 'too-few-files' }))
  for (const limit of [512, 1024, undefined]) expect(() => assertOpenFiles('the database', 512, limit)).not.toThrow()
})
