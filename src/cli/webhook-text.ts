// Events about webhooks, for people.
import type { CommandEvent, EventOf } from '../service/command-event.ts'
import { minute } from './figures.ts'
import type { Paint } from './paint.ts'

/** Describes an event about webhooks; undefined for any other event. */
export function describeWebhook(event: CommandEvent, paint: Paint): string | undefined {
  const done = (text: string) => `  ${paint.green('✓')} ${text}`
  switch (event.event) {
    case 'webhook':
      return endpointText(event, paint)
    case 'webhookTested':
      return testText(event, paint)
    case 'webhookRotated':
      return [
        done('The secret is replaced; the old one signs for 24 more hours'),
        `      ${paint.bold(event.secret)}`,
        `      ${paint.dim('Shown only this once.')}`,
        '      Requests on their way still carry the old signature only: until then, the receiver must accept both.',
      ].join('\n')
    case 'webhookEnabled':
      return done('The endpoint is enabled')
    case 'webhookDisabled':
      return done('The endpoint is disabled; its deliveries are held from now on')
    case 'webhookRemoved':
      return done('The endpoint and its secrets are removed')
    case 'webhookReleased':
      return done(`${event.deliveries} held deliveries are sent now`)
    case 'webhookReplayed':
      return done(`${event.deliveries} deliveries are sent now`)
    case 'webhookDelivery':
      return deliveryText(event, paint)
    case 'listening':
      return [
        done(`Listening on ${event.url}`),
        `      ${paint.dim(`tenderstock webhook create --organization NAME --url ${event.url}`)}`,
      ].join('\n')
    case 'hitReceived':
    case 'webhookReceived':
      return done(event.line)
    case 'webhookRefused':
      return `  ${paint.yellow('!')} Refused with 400: ${event.reason}`
    default:
      return undefined
  }
}

function endpointText(event: EventOf<'webhook'>, paint: Paint): string {
  const { deliveries, failingSince } = event
  const active = failingSince === null ? 'active' : paint.yellow(`failing since ${minute(failingSince)}`)
  const state = event.state === 'active' ? active : paint.yellow(`disabled (${event.disabledWhy})`)
  const sent = deliveries
    ? ` · ${deliveries.delivered} delivered, ${deliveries.due} due, ${deliveries.held} held, ${deliveries['given-up']} given up`
    : ''
  return [
    `  ${paint.bold(event.url)} ${state}`,
    `      ${paint.dim(`${event.id} · ${event.organization} · ${event.kinds.join(', ')} · at most ${event.requestsPerSecond} a second${sent}`)}`,
    ...(event.secret === undefined
      ? []
      : [`      Secret  ${paint.bold(event.secret)}`, `      ${paint.dim('Shown only this once.')}`]),
  ].join('\n')
}

function testText(event: EventOf<'webhookTested'>, paint: Paint): string {
  const { status, error, milliseconds, answer } = event
  const isExpected = status !== null && event.isSuccess !== event.isSignatureWrong
  const mark = isExpected ? paint.green('✓') : paint.yellow('!')
  const what = status === null ? `The receiver was not reached (${error})` : `The receiver answered ${status}`
  return `  ${mark} ${what} after ${milliseconds} ms${answer ? `: ${answer.slice(0, 200)}` : ''}`
}

function deliveryText(event: EventOf<'webhookDelivery'>, paint: Paint): string {
  const last = event.lastStatus ?? event.lastError
  const facts = [
    event.messageId,
    `${event.attempts} ${event.attempts === 1 ? 'attempt' : 'attempts'}`,
    ...(last === null ? [] : [`last ${last}`]),
    ...(event.state === 'due' ? [`next ${minute(event.dueAt)}`] : []),
    ...(event.heldWhy === null ? [] : [`held: ${event.heldWhy}`]),
  ]
  return `  ${minute(event.createdAt)}  ${event.state.padEnd(9)} ${event.kind}  ${paint.dim(facts.join(' · '))}`
}
