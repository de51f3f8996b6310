// Events about backups, for people.
import type { BackupEvents, BackupFacts, RestoredRedactions } from '../../service/events/backup-events.ts'
import { number } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { concern, type EventTexts, fact } from './text-lines.ts'

export const backupTexts: EventTexts<BackupEvents> = {
  backedUp: (event, paint) =>
    [
      fact(paint, 'Backed up', `${stateOf(event)}, in ${event.location}`),
      fact(paint, 'Read back', `${sizeOf(event)}, ${event.seconds} s`),
      ...(event.documentsOutside === null ? [] : [concern(paint, outside(event.documentsOutside))]),
    ].join('\n'),
  backupVerified: (event, paint) =>
    [
      fact(paint, 'Whole', `${stateOf(event)}: ${sizeOf(event)}, all as written`),
      ...(event.isAuthenticated ? [] : [concern(paint, unsigned)]),
      ...(event.isTargetEmpty
        ? []
        : [concern(paint, 'The database or data folder to restore into is not empty; `restore` refuses it.')]),
      ...redactionLines(event, 'would be', paint),
    ].join('\n'),
  drilled: (event, paint) =>
    [
      fact(paint, 'Restored', `${stateOf(event)}, for a trial, from ${event.location}`),
      fact(paint, 'Compared', `${sizeOf(event)}, as they were published, ${event.seconds} s`),
      ...(event.removed.length === 0
        ? []
        : [fact(paint, 'Removed', `${event.removed.join(', ')}; ${number(event.kept)} backups are left`)]),
      ...(event.documentsOutside === null ? [] : [concern(paint, outside(event.documentsOutside))]),
    ].join('\n'),
  restored: (event, paint) =>
    [
      fact(paint, 'Restored', `${stateOf(event)}, from ${event.location}`),
      ...redactionLines(event, 'are', paint),
      ...event.advice.map((text) => concern(paint, text)),
    ].join('\n'),
}

const redactionLines = ({ redactionsFrom }: RestoredRedactions, verb: string, paint: Paint): string[] =>
  redactionsFrom === null ? [] : [fact(paint, 'Redactions', `${verb} applied from ${redactionsFrom}`)]

function stateOf({ takenAt, edition }: BackupFacts): string {
  const state = edition === null ? 'a stock without an edition' : `edition ${edition}`
  return `${state}, as of ${takenAt.slice(0, 19).replace('T', ' ')} UTC`
}

const sizeOf = ({ rows, parts, bytes }: BackupFacts) =>
  `${number(rows)} rows in ${number(parts)} parts, ${number(Math.ceil(bytes / 1e6))} MB`

const unsigned =
  'It is unknown who made it: the secret key is neither in TENDERSTOCK_SECRET_KEY nor in the data folder (--data).'

const outside = (location: string) => `Raw documents are in ${location} and not in the backup; back them up as well.`
