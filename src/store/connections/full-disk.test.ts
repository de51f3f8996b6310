// The sentence about a full disk names the folder that was written, not the one where the stock is.
import { expect, test } from 'vitest'
import { OperatorError } from '../../platform/errors.ts'
import { inFolder } from '../../platform/folders.ts'
import { asOperatorError } from './connection-loss.ts'
import { fullDiskSentence, serverDiskSentence } from './full-disk.ts'

/** As Node reports it: a write names no path. */
const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

test('a backup on a full disk names its own folder and says what becomes of its parts', async () => {
  const failing = inFolder('/backups/one', 'a backup', () => Promise.reject(noSpace()))
  const error = await failing.catch((thrown: unknown) => thrown)
  const full = fullDiskSentence(error, '/srv/data')
  expect(full).toMatch(/^The disk that holds \/backups\/one is full/)
  const told = new OperatorError('disk-full', `${full} The interrupted backup stays in /backups/one.`, { cause: error })
  expect(asOperatorError(told, '/srv/data')).toBe(told)
})

test('anything else that finds no room names the data folder, unless the error has a path', () => {
  expect(fullDiskSentence(noSpace(), '/srv/data')).toMatch(/^The disk that holds \/srv\/data is full/)
  const placed = Object.assign(noSpace(), { path: '/srv/other/file' })
  expect(fullDiskSentence(placed, '/srv/data')).toMatch(/^The disk that holds \/srv\/other is full/)
})

test('a server whose disk is full says so to statements and to new connections', () => {
  const sentence = 'The disk of the database server is full; delete files there or enlarge it.'
  const ofStatement = { message: 'could not extend file "base/1/2": No space left on device', code: '53100' }
  const ofConnection = { message: 'could not write init file', code: 'XX000' }
  for (const { message, code } of [ofStatement, ofConnection]) {
    const error = Object.assign(new Error(message), { code, routine: 'anywhere' })
    expect(fullDiskSentence(error, '/srv/data')).toBe(sentence)
    expect(serverDiskSentence(error)).toBe(sentence)
  }
  expect(serverDiskSentence(noSpace())).toBeUndefined()
})
