// Events of simulated portals, for people.
import type { EventOf } from '../../service/events/command-event.ts'
import type { SimulatorEvents } from '../../service/events/simulator-events.ts'
import { count } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { type EventTexts, fact } from './text-lines.ts'

export const simulatorTexts: EventTexts<SimulatorEvents> = {
  portals: ({ portals }, paint) =>
    fact(paint, 'Sample portals', `${count(portals, 'portal')} of made-up notices, on this machine only`),
  simulatedPortal: ({ source, hosts, entries }, paint) =>
    fact(paint, source, `${hosts.join(', ')} · ${count(entries, 'entry', 'entries')}`),
  simulating: simulatingText,
  simulated: ({ requests }, paint) => fact(paint, 'Answered', count(requests, 'request')),
}

function simulatingText(event: EventOf<'simulating'>, paint: Paint): string {
  const { base, example, speed } = event
  const faults = Object.entries(event.faults).map(([name, share]) => `${name}=${share}`)
  const origin = event.isMadeUp ? 'made-up' : 'collected'
  return [
    fact(paint, 'Portals', `${count(event.portals, 'portal')} of ${origin} notices`),
    fact(paint, 'Address', base),
    fact(paint, 'Faults', faults.length > 0 ? faults.join(' ') : 'none'),
    fact(paint, 'Time', `${event.now}, ${speed === 1 ? 'at normal speed' : `${speed} times as fast`}`),
    '',
    '  Try a source against it, from another terminal:',
    `    tenderstock source check ${example} --simulator ${base}`,
    `    tenderstock source run ${example} --simulator ${base} --data trial`,
    '',
    '  Stop: Ctrl+C',
  ].join('\n')
}
