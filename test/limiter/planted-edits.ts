// Mistakes in the shared limit that are written into the source while the nodes load it: each must be found by
// scenarios that do not know about it.
import type { PlantedEdit } from '../planted-edit.ts'

const shared = 'src/api/limits/limiter-shared.ts'

export const plantedLimitEdits: readonly PlantedEdit[] = [
  {
    name: 'a timer of the own loop ends the waiting',
    file: 'src/api/limits/turn-patience.ts',
    from: '        if (!isTurning) nextTurn()\n',
    to: '        setTimeout(each.giveUp, 50).unref()\n',
  },
  {
    name: 'an answer is waited for without end',
    file: 'src/api/limits/turn-patience.ts',
    from: '      if (each.lastTurn > turn) break\n',
    to: '      break\n',
  },
  {
    name: 'alone, a process has the whole limit',
    file: shared,
    from: 'Math.floor(limit / Math.max(1, processes))',
    to: 'limit',
  },
  {
    name: 'other processes are not counted',
    file: 'src/store/nodes/api-processes.ts',
    from: 'return 1 + rows[0]!.others',
    to: 'return rows.length',
  },
  {
    name: 'a denial ends with the connection',
    file: shared,
    from: 'if (isHeld && known.count >= limit) {',
    to: 'if (isHeld && known.count > 2 * limit) {',
  },
  {
    name: 'what was denied while its answer was late stays counted',
    file: shared,
    from: 'late.isAllowed && !alone.isAllowed ? giveBack(key) : undefined',
    to: 'undefined',
  },
  {
    name: 'the store counts a request however late it arrives',
    file: 'src/api/limits/limiter-redis.ts',
    from: 'askedAt + aheadMs + countedWithinMs',
    to: '0',
  },
  {
    name: 'each request of a burst that is late counts as a dead connection',
    file: shared,
    from: 'error instanceof LateAnswer && (isLook || !this.#isFailing)',
    to: 'error instanceof LateAnswer',
  },
  {
    name: 'lost counts go unnoticed',
    file: shared,
    from: 'if (this.#epoch !== epoch) {',
    to: 'if (this.#epoch === undefined) {',
  },
  {
    name: 'a greeting that nobody answers is waited for without end',
    file: 'src/api/limits/limiter-redis.ts',
    from: "redis.status === 'connect' ? new Promise(() => {}) : ",
    to: '',
  },
  {
    name: 'a dead connection is kept',
    file: shared,
    from: 'if (!isMissed || ++this.#unanswered < maxUnanswered) return',
    to: 'return',
  },
]
