// Processes whose clock is wrong, as they see it: libfaketime, from Debian's package faketime, which can be moved while
// they run.
import { existsSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'

/** Path of the library; undefined if the package is not installed. */
export function fakeTimeLibrary(): string | undefined {
  return readdirSync('/usr/lib', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path))
}

export type WrongClock = {
  /** Variables for the environment of a process. */
  readonly env: { readonly [name: string]: string }
  /** Sets the clocks of its processes again, within a second or two. */
  readonly setOff: (seconds: number) => Promise<void>
}

/**
 * A clock that is off by this many seconds; ahead if positive. `file` is written. With `movesTimers` the steady clock
 * moves too: time passes for the process, and not only its calendar.
 */
export async function openWrongClock(
  library: string,
  file: string,
  seconds: number,
  { movesTimers = false } = {},
): Promise<WrongClock> {
  const setOff = (offBy: number) => writeFile(file, `${offBy < 0 ? '' : '+'}${offBy}s\n`)
  await setOff(seconds)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // timers continue by the machine's steady clock
      ...(!movesTimers && { FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
    },
    setOff,
  }
}
