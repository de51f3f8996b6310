// Shapes of the states of sources.

import type { SourceState } from '../../domain/source-state.ts'
import type { State } from '../frame/parts.ts'

export const sourceMarks: { readonly [state in SourceState]: State } = {
  'no-answer': 'bad',
  refused: 'bad',
  forbidden: 'warn',
  'wrong-content': 'bad',
  silent: 'bad',
  alarm: 'warn',
  late: 'warn',
  ok: 'good',
  reading: 'planned',
  'not-tried': 'planned',
  'key-missing': 'closed',
  'turned-off': 'closed',
  off: 'closed',
}
