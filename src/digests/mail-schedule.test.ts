import { describe, expect, test } from 'vitest'
import { hourMs } from '../domain/time.ts'
import { nextMailStep } from './mail-schedule.ts'

const error = '452 full'

describe('after an attempt', () => {
  test('an accepted mail is sent', () => {
    expect(nextMailStep({ kind: 'accepted' }, 3, 0, 0.5)).toEqual({ state: 'sent' })
  })

  test('a mail that is not accepted is sent again after these pauses', () => {
    const pauses = Array.from({ length: 9 }, (_, index) => {
      const step = nextMailStep({ kind: 'unreachable', error }, index + 1, 0, 0.5)
      return step.state === 'due' ? step.dueAt / hourMs : step
    })
    expect(pauses).toEqual([1 / 60, 5 / 60, 15 / 60, 1, 2, 4, 8, 12, 20])
  })

  test('a mail that is permanently refused is given up', () => {
    expect(nextMailStep({ kind: 'refused', error, isFinal: true }, 1, 0, 0.5)).toEqual({ state: 'given-up', error })
  })

  test.each(['refused', 'unreachable'] as const)(
    'a mail that is temporarily %s is tried ten times in two days',
    (kind) => {
      const attempt = kind === 'refused' ? { kind, error, isFinal: false } : { kind, error }
      for (const random of [0, 0.5, 0.999]) {
        let [now, attempts] = [0, 0]
        for (;;) {
          const step = nextMailStep(attempt, ++attempts, now, random)
          if (step.state !== 'due') {
            expect(step).toEqual({ state: 'given-up', error })
            break
          }
          expect(step.dueAt).toBeGreaterThan(now)
          now = step.dueAt
        }
        expect(attempts).toBe(10)
        expect(now / hourMs).toBeGreaterThan(40)
        expect(now / hourMs).toBeLessThan(56)
      }
    },
  )
})
