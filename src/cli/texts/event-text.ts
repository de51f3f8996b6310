// The text of every event: one total table of the tables of the rooms.
import type { Clock } from '../../platform/clock.ts'
import type { CommandEvent, Facts } from '../../service/events/command-event.ts'
import type { Paint } from '../paint.ts'
import { accessTexts } from './access-texts.ts'
import { anyCommandTexts } from './any-command-texts.ts'
import { backupTexts } from './backup-texts.ts'
import { digestTexts } from './digest-texts.ts'
import { hitTexts } from './hit-texts.ts'
import { redactionTexts } from './redaction-texts.ts'
import { reviewTexts } from './review-texts.ts'
import { runningTexts } from './running-texts.ts'
import { settingTexts } from './setting-texts.ts'
import { simulatorTexts } from './simulator-texts.ts'
import { sourceTexts } from './source-texts.ts'
import { statusTexts } from './status-texts.ts'
import { stockTexts } from './stock-texts.ts'
import type { EventTexts } from './text-lines.ts'
import { webhookTexts } from './webhook-texts.ts'

/** The text of every event; a bar shows progress. */
const texts = {
  ...accessTexts,
  ...anyCommandTexts,
  ...backupTexts,
  ...digestTexts,
  ...hitTexts,
  ...redactionTexts,
  ...reviewTexts,
  ...runningTexts,
  ...settingTexts,
  ...simulatorTexts,
  ...sourceTexts,
  ...statusTexts,
  ...stockTexts,
  ...webhookTexts,
} satisfies EventTexts<Omit<Facts, 'progress'>>

/** Text of an event; undefined if there is nothing to say, also of an event that only a newer service knows. */
export function eventText(event: CommandEvent, paint: Paint, clock: Clock): string | undefined {
  const table = texts as { readonly [event: string]: (...shown: [CommandEvent, Paint, Clock]) => string | undefined }
  return table[event.event]?.(event, paint, clock)
}
