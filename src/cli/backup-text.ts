// Backups as people read them.
import type { BackupFacts, CommandEvent, RestoredRedactions } from '../service/command-event.ts'
import { number } from './figures.ts'
import type { Paint } from './paint.ts'

/** Describes an event about backups; undefined for any other event. */
export function describeBackup(event: CommandEvent, paint: Paint): string | undefined {
  const line = (label: string, text: string) => `  ${paint.green('✓')} ${label.padEnd(20)} ${text}`
  const note = (text: string) => `  ${paint.yellow('!')} ${text}`
  const redactions = ({ redactionsFrom }: RestoredRedactions, verb: string) =>
    redactionsFrom === null ? [] : [line('Redactions', `${verb} applied from ${redactionsFrom}`)]
  switch (event.event) {
    case 'backedUp':
      return [
        line('Backed up', `${stateOf(event)}, in ${event.location}`),
        line('Read back', `${sizeOf(event)}, ${event.seconds} s`),
        ...(event.documentsOutside === null ? [] : [note(outside(event.documentsOutside))]),
      ].join('\n')
    case 'backupVerified':
      return [
        line('Whole', `${stateOf(event)}: ${sizeOf(event)}, all as written`),
        ...(event.isAuthenticated ? [] : [note(unsigned)]),
        ...(event.isTargetEmpty
          ? []
          : [note('The database or data folder to restore into is not empty; `restore` refuses it.')]),
        ...redactions(event, 'would be'),
      ].join('\n')
    case 'restored':
      return [
        line('Restored', `${stateOf(event)}, from ${event.location}`),
        ...redactions(event, 'are'),
        ...event.advice.map(note),
      ].join('\n')
    default:
      return undefined
  }
}

function stateOf({ takenAt, edition }: BackupFacts): string {
  const state = edition === null ? 'a stock without an edition' : `edition ${edition}`
  return `${state}, as of ${takenAt.slice(0, 19).replace('T', ' ')} UTC`
}

const sizeOf = ({ rows, parts, bytes }: BackupFacts) =>
  `${number(rows)} rows in ${number(parts)} parts, ${number(Math.ceil(bytes / 1e6))} MB`

const unsigned =
  'Nobody knows who made it: the secret key is neither in TENDERSTOCK_SECRET_KEY nor in the data folder (--data).'

const outside = (location: string) => `Raw documents are in ${location} and not in the backup; back them up as well.`
