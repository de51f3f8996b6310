// What commands and the service report while they work: the events of each room, for JSON lines and for text.
import type { AccessEvents } from './access-events.ts'
import type { AnyCommandEvents } from './any-command-events.ts'
import type { BackupEvents } from './backup-events.ts'
import type { DigestEvents } from './digest-events.ts'
import type { HitEvents } from './hit-events.ts'
import type { RedactionEvents } from './redaction-events.ts'
import type { ReviewEvents } from './review-events.ts'
import type { RunningEvents } from './running-events.ts'
import type { SettingEvents } from './setting-events.ts'
import type { SimulatorEvents } from './simulator-events.ts'
import type { SourceEvents } from './source-events.ts'
import type { StatusEvents } from './status-events.ts'
import type { StockEvents } from './stock-events.ts'
import type { WebhookEvents } from './webhook-events.ts'

/**
 * All events with their facts. Times are epoch milliseconds where they are numbers, in members that `isTimeName`
 * knows: the reporter prints them as ISO 8601. A fact that is added later is optional: the service that answers a
 * command may be older than the command.
 */
export type Facts = AccessEvents &
  AnyCommandEvents &
  BackupEvents &
  DigestEvents &
  HitEvents &
  RedactionEvents &
  ReviewEvents &
  RunningEvents &
  SettingEvents &
  SimulatorEvents &
  SourceEvents &
  StatusEvents &
  StockEvents &
  WebhookEvents

export type EventName = keyof Facts
export type EventOf<Name extends EventName> = Name extends EventName
  ? { readonly event: Name } & Readonly<Facts[Name]>
  : never
export type CommandEvent = EventOf<EventName>

/** Called with each event as it happens. */
export type Emit = (event: CommandEvent) => void

const timeName = /(?:At|Since)$|^(?:at|until|since|nextPublication|lastModified)$/

/** Whether a member of this name holds a time: epoch milliseconds within the program, ISO 8601 in what it prints. */
export const isTimeName = (name: string): boolean => timeName.test(name)
