// What the environment may say.
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { OperatorError } from './errors.ts'

describe('configuration', () => {
  test('an empty environment means the embedded engine and limits in process', () => {
    expect(readConfig({})).toEqual({})
    expect(readConfig({ DATABASE_URL: ' ' })).toEqual({})
  })

  test('a bad DATABASE_URL is one sentence that never repeats the value', () => {
    for (const text of ['mysql://root:secret@x/y', 'secret', 'postgres//secret']) {
      expect(() => readConfig({ DATABASE_URL: text })).toThrow(OperatorError)
      expect(() => readConfig({ DATABASE_URL: text })).toThrow(/^DATABASE_URL is not a usable address(?!.*secret)/)
    }
  })

  test('good addresses pass as they are', () => {
    expect(
      readConfig({
        DATABASE_URL: 'postgres://u:p@h/d',
        REDIS_URL: 'redis://h',
        TENDERSTOCK_DOCS_URL: 'https://d.example/x/',
      }),
    ).toEqual({
      databaseUrl: 'postgres://u:p@h/d',
      redisUrl: 'redis://h',
      docsUrl: 'https://d.example/x',
    })
  })
})
