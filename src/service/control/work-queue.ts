// One long piece of work at a time: reading, consolidating, publishing and rebuilding never overlap inside a process.

export type WorkQueue = {
  /** Runs `work` after everything that was queued before; `onWait` is called with what it has to wait for. */
  readonly run: <Result>(
    name: string,
    work: () => Promise<Result>,
    onWait?: (busyWith: string) => void,
  ) => Promise<Result>
  /** The work in progress. */
  readonly current: () => string | undefined
  /** Resolves when nothing is left. */
  readonly idle: () => Promise<void>
}

export function workQueue(): WorkQueue {
  let tail: Promise<unknown> = Promise.resolve()
  const names: string[] = []
  return {
    run: (name, work, onWait) => {
      const busyWith = names[0]
      if (busyWith !== undefined) onWait?.(busyWith)
      names.push(name)
      const result = tail.then(work)
      // the caller handles a failed piece of work; the queue continues
      tail = result
        .then(
          () => {},
          () => {},
        )
        .finally(() => names.shift())
      return result
    },
    current: () => names[0],
    idle: async () => {
      while (names.length > 0) await tail
    },
  }
}
