// Events of the service itself, for people.
import { shellWord } from '../../platform/shell-word.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import type { RunningEvents } from '../../service/events/running-events.ts'
import { count } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { concern, type EventTexts, fact, remark, utcMinute } from './text-lines.ts'

export const runningTexts: EventTexts<RunningEvents> = {
  starting: ({ version, engine, data }, paint) => {
    const where = engine === 'embedded' ? `in ${data}` : `on the ${serverOf(engine)}`
    return `\n${paint.bold(`Tenderstock ${version}`)}\n\n${remark(paint, `Opening the stock ${where} …`)}`
  },
  migrating: migratingText,
  opened: ({ engine, data }, paint) =>
    fact(paint, 'Data', `${data} ${paint.dim(engine === 'embedded' ? '(embedded engine)' : `(${serverOf(engine)})`)}`),
  found: ({ edition, records }, paint) => fact(paint, 'Found', `edition ${edition} with ${count(records, 'record')}`),
  ready: readyText,
  recovered: ({ failedRounds }, paint) => fact(paint, 'Recovered', `after ${count(failedRounds, 'failed round')}`),
  alarmCleared: ({ alarm }, paint) => fact(paint, 'Recovered', alarm),
  networkBack: ({ message }, paint) => fact(paint, 'Network', message),
  clockDiffers: ({ message }, paint) => concern(paint, message),
  stopping: (_, paint) => `\n${remark(paint, 'Finishing requests and closing the stock …')}`,
  stopped: (_, paint) => remark(paint, 'Stopped.'),
  maintenance: ({ until }, paint) =>
    until === null
      ? fact(paint, 'Open', 'the API answers again, on all nodes within seconds')
      : fact(paint, 'Maintenance', `the API answers 503 until ${utcMinute(until)}, on all nodes within seconds`),
  clock: ({ now }, paint) => fact(paint, 'Clock', `now ${now}`),
}

const serverOf = (engine: 'server' | 'bucket'): string => (engine === 'bucket' ? 'bucket' : 'PostgreSQL server')

function migratingText({ applying, waiting }: EventOf<'migrating'>, paint: Paint): string {
  // a new database is not upgraded: its first migration creates the tables
  const [first] = applying
  const isNew = first?.startsWith('0001-')
  return [
    ...(first ? [isNew ? fact(paint, 'Tables', 'created') : fact(paint, 'Upgrading', applying.join(', '))] : []),
    ...waiting.map((name) =>
      fact(paint, 'Waiting', `${name}, until every older process is stopped and this one starts again`),
    ),
  ].join('\n')
}

function readyText(event: EventOf<'ready'>, paint: Paint): string {
  const rule = paint.dim('─'.repeat(78))
  const { tokenFile, api } = event
  const token = tokenFile ? `$(cat ${shellWord(tokenFile)})` : 'TOKEN'
  const curl = (query: string) => `curl -H "Authorization: Bearer ${token}" '${api}/v1/tenders?${query}'`
  const member = (name: string, text: string) => `  ${name.padEnd(10)} ${text}`
  const edition =
    event.edition === 0
      ? 'none yet: the API answers 503 until the first one'
      : `${event.edition} with ${count(event.records, 'record')}`
  return [
    '',
    rule,
    ...(event.console === undefined ? [] : [member('Console', paint.bold(event.console))]),
    ...(api === undefined ? [] : [member('Address', paint.bold(api))]),
    ...(event.roles === undefined ? [] : [member('Roles', event.roles.join(', '))]),
    ...(tokenFile ? [member('Token in', tokenFile)] : []),
    member('Edition', edition),
    member('Data', event.data),
    rule,
    '',
    ...(tokenFile === undefined || api === undefined
      ? []
      : [
          paint.dim('# a page of open tenders'),
          curl('limit=5'),
          '',
          paint.dim('# construction work only (CPV division 45)'),
          curl('cpv=45000000&limit=5'),
          '',
          paint.dim('# what changed since then: the delta for a sync'),
          curl(`updated_since=${event.since}&limit=5`),
          '',
        ]),
    paint.dim(`${event.docs === undefined ? '' : `Problem types and limits: ${event.docs}   `}Stop: Ctrl+C`),
    '',
  ].join('\n')
}
