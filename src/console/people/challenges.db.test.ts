// Challenges of passkeys: recognized for one purpose and ten minutes, and accepted once.
import { expect, test } from 'vitest'
import { openTestStore } from '../../../test/world.ts'
import { minuteMs } from '../../domain/time.ts'
import { systemRandom } from '../../platform/random.ts'
import { inTransaction } from '../../store/database/database.ts'
import { challengeMadeAt, makeChallenge, takeChallenge } from './challenges.ts'

const now = Date.UTC(2026, 10, 30)

test('a challenge holds for its purpose and ten minutes, as it was made, and once', async () => {
  await using store = await openTestStore('embedded')
  const context = { store, random: systemRandom }
  const made = await makeChallenge(context, 'sign-in', now)
  const madeAt = (purpose: string, text: string, later: number) => challengeMadeAt(context, purpose, text, now + later)
  expect(await madeAt('sign-in', made, 0)).toBe(now)
  expect(await madeAt('sign-in', made, 10 * minuteMs - 1)).toBe(now)
  expect(await madeAt('sign-in', made, 10 * minuteMs)).toBeUndefined()
  expect(await madeAt('add', made, 0)).toBeUndefined()
  const bytes = Buffer.from(made, 'base64url')
  for (const [index, byte] of bytes.entries()) {
    const changed = Buffer.from(bytes)
    changed[index] = byte ^ 1
    expect(await madeAt('sign-in', changed.toString('base64url'), 0), `byte ${index}`).toBeUndefined()
  }
  for (const length of [0, 31, 32, bytes.length - 1])
    expect(await madeAt('sign-in', bytes.subarray(0, length).toString('base64url'), 0)).toBeUndefined()
  const take = () => inTransaction(store, (trx) => takeChallenge(trx, made, now))
  expect([await take(), await take()]).toEqual([true, false])
})
