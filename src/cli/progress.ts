// Shows how far long work is: a bar for a person, a line from time to time in a log.
import { Presets, SingleBar } from 'cli-progress'
import type { Clock } from '../platform/clock.ts'
import type { ProgressStage } from '../service/events/any-command-events.ts'
import type { EventOf } from '../service/events/command-event.ts'
import { number } from './figures.ts'

/** How often progress is printed without a bar. */
const linesMs = 10_000

type Amount = Pick<EventOf<'progress'>, 'done' | 'total' | 'detail'> & { readonly name: string }
type Write = (text: string) => void
type Progress = { readonly show: (amount: Amount) => void; readonly hide: () => void }

export const stageNames: { readonly [stage in ProgressStage]: string } = {
  ingest: 'Reading notices',
  consolidate: 'Consolidating',
  publish: 'Publishing',
  reparse: 'Re-parsing documents',
  rebuild: 'Rebuilding',
  redact: 'Redacting',
  backfill: 'Upgrading',
  export: 'Copying',
  openData: 'Exporting',
  check: 'Checking portals',
  backup: 'Backing up',
  verify: 'Reading the backup',
  restore: 'Restoring',
}

export function progressBar(write: Write): Progress {
  let bar: SingleBar | undefined
  let shown = ''
  let isCounting = false
  const hide = () => {
    bar?.stop()
    if (bar || isCounting) write('\r\u001b[K')
    isCounting = false
    bar = undefined
    shown = ''
  }
  return {
    hide,
    show: ({ name, done, total, detail }) => {
      if (total === undefined || total === 0) {
        if (bar) hide()
        isCounting = true
        return write(`\r\u001b[K  ${name} … ${number(done)}${detail ? ` ${detail}` : ''}`)
      }
      if (shown !== name || isCounting) hide()
      if (!bar) {
        bar = new SingleBar(
          {
            format: `  ${name.padEnd(22)} {bar} {percentage} %  {value}/{total}`,
            hideCursor: true,
            clearOnComplete: true,
            barsize: 24,
            linewrap: false,
          },
          Presets.shades_grey,
        )
        bar.start(total, 0)
        shown = name
      }
      bar.setTotal(total)
      bar.update(Math.min(done, total))
    },
  }
}

export function progressLines(write: Write, clock: Clock): Progress {
  const isDue = throttle(clock, linesMs)
  return {
    hide: () => {},
    show: ({ name, done, total, detail }) => {
      if (!isDue()) return
      const amount = total !== undefined && total > 0 ? `${number(done)} of ${number(total)}` : number(done)
      write(`  ${name}: ${amount}${detail ? ` ${detail}` : ''}\n`)
    },
  }
}

/** True at most once in this interval. */
export function throttle(clock: Clock, intervalMs: number): () => boolean {
  let last = clock()
  return () => {
    if (clock() - last < intervalMs) return false
    last = clock()
    return true
  }
}
