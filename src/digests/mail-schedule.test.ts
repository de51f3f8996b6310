import { describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../domain/time.ts'
import { historyWith, type MailVerdict, nextMailStep } from './mail-schedule.ts'

const error = '452 full'
const refused = (about: 'recipient' | 'content' | 'later'): MailVerdict => ({ kind: 'refused', error, about })
const silent: MailVerdict = { kind: 'away', error }

/** The pauses between such attempts in hours, and how the mail ends; at most 200 attempts. */
function attempted(attempts: Iterable<MailVerdict>, random = 0.5) {
  let history = { attempts: 0, refusals: 0, gone: 0 }
  const pauses: number[] = []
  for (const attempt of attempts) {
    history = historyWith(history, attempt)
    const step = nextMailStep(attempt, history, 0, random)
    if (step.state !== 'due') return { pauses, end: step }
    pauses.push(step.dueAt / hourMs)
    if (pauses.length === 200) break
  }
  return { pauses, end: undefined }
}
function* always(attempt: MailVerdict) {
  for (;;) yield attempt
}

describe('after an attempt', () => {
  test('an accepted mail is sent', () => {
    expect(attempted([silent, { kind: 'accepted' }]).end).toEqual({ state: 'sent' })
  })

  test('a mail waits as long as the server is away, and is tried each hour', () => {
    const { pauses, end } = attempted(always(silent))
    expect(end).toBeUndefined()
    expect(pauses.slice(0, 6)).toEqual([1 / 60, 5 / 60, 15 / 60, 1, 1, 1])
    expect(pauses.at(-1)).toBe(1)
  })

  test('a mail that is refused for now is tried 13 times in five days', () => {
    for (const random of [0, 0.5, 0.999]) {
      const { pauses, end } = attempted(always(refused('later')), random)
      expect(end).toEqual({ state: 'given-up', error, isGone: false })
      expect(pauses).toHaveLength(12)
      const days = (pauses.reduce((sum, pause) => sum + pause) * hourMs) / dayMs
      expect(days).toBeGreaterThan(4.4)
      expect(days).toBeLessThan(5.5)
    }
  })

  test('a mail whose content is refused for good is given up after 15 hours', () => {
    const { pauses, end } = attempted(always(refused('content')))
    expect(end).toEqual({ state: 'given-up', error, isGone: false })
    expect(Math.round(pauses.reduce((sum, pause) => sum + pause))).toBe(15)
  })

  test('the third refusal of an unknown recipient, a day apart, ends it', () => {
    expect(attempted(always(refused('recipient')))).toEqual({
      pauses: [24, 24],
      end: { state: 'given-up', error, isGone: true },
    })
  })

  test('neither an absent server nor greylisting counts as an unknown recipient', () => {
    const { pauses, end } = attempted([
      ...Array(40).fill(silent),
      refused('later'),
      refused('later'),
      refused('recipient'),
    ])
    expect(end).toBeUndefined()
    expect(pauses.slice(40)).toEqual([1 / 60, 5 / 60, 24])
  })
})
