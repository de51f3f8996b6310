// How sources are doing, in words: their states, and how far the first reading is.
import { isFailing, type SourceCounts, type SourceState, sourceStates } from '../../domain/source-state.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import { count, number } from '../figures.ts'
import type { Paint } from '../paint.ts'

export const stateWords: { readonly [state in SourceState]: string } = {
  'no-answer': 'no answer',
  refused: 'refused',
  forbidden: 'forbidden by robots.txt',
  'wrong-content': 'wrong content',
  silent: 'silent',
  alarm: 'with an alarm',
  late: 'late',
  ok: 'on time',
  reading: 'being read for the first time',
  'not-tried': 'not tried yet',
  'key-missing': 'key missing',
  'turned-off': 'turned off',
  off: 'off',
}

/** "61 on time", "19 no answer" …: what some sources are in. */
export function countedStates(states: SourceCounts, paint: Paint): string[] {
  return sourceStates
    .filter((state) => states[state] > 0)
    .sort((a, b) => Number(b === 'ok') - Number(a === 'ok'))
    .map((state) => {
      const text = `${number(states[state])} ${stateWords[state]}`
      return isFailing(state) || state === 'silent' || state === 'alarm' ? paint.yellow(text) : text
    })
}

/** How far the first reading is: "read 11 of 104 portals, 6 fail, not yet: ted". */
export function firstReadingText({
  total,
  read,
  failing,
  waitsFor,
}: NonNullable<EventOf<'status'>['firstReading']>): string {
  return [
    `read ${read} of ${count(total, 'portal')}`,
    ...(failing > 0 ? [`${failing} ${failing === 1 ? 'fails' : 'fail'}`] : []),
    ...(waitsFor.length > 0 ? [`not yet: ${waitsFor.join(', ')}`] : []),
  ].join(', ')
}
