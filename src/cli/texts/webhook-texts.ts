// Events about webhooks, for people.

import { attemptFailures, isAttemptFailure } from '../../domain/attempt-failure.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import type { WebhookEvents } from '../../service/events/webhook-events.ts'
import { minute } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { concern, done, type EventTexts } from './text-lines.ts'

export const webhookTexts: EventTexts<WebhookEvents> = {
  webhook: endpointText,
  webhookTested: testText,
  webhookRotated: ({ secret }, paint) =>
    [
      done(paint, 'The secret is replaced; the old one signs for 24 more hours'),
      `      ${paint.bold(secret)}`,
      `      ${paint.dim('Shown only this once.')}`,
      '      Requests on their way still carry the old signature only: until then, the receiver must accept both.',
    ].join('\n'),
  webhookReaddressed: ({ id }, paint) =>
    [done(paint, 'The address of the channel is stored'), `      ${paint.dim(`tenderstock webhook test ${id}`)}`].join(
      '\n',
    ),
  webhookEnabled: (_, paint) => done(paint, 'The endpoint is enabled'),
  webhookDisabled: (_, paint) => done(paint, 'The endpoint is disabled; its deliveries are held from now on'),
  webhookRemoved: (_, paint) => done(paint, 'The endpoint and its secrets are removed'),
  webhookReleased: ({ deliveries }, paint) => done(paint, `${deliveries} held deliveries are sent now`),
  webhookReplayed: ({ deliveries }, paint) => done(paint, `${deliveries} deliveries are sent now`),
  webhookDelivery: deliveryText,
  listening: ({ url }, paint) =>
    [
      done(paint, `Listening on ${url}`),
      `      ${paint.dim(`tenderstock webhook create --organization NAME --url ${url}`)}`,
    ].join('\n'),
  webhookReceived: ({ line }, paint) => done(paint, line),
  webhookRefused: ({ reason }, paint) => concern(paint, `Refused with 400: ${reason}`),
  hitReceived: ({ line }, paint) => done(paint, line),
}

function endpointText(event: EventOf<'webhook'>, paint: Paint): string {
  const { deliveries, failingSince } = event
  const active = failingSince === null ? 'active' : paint.yellow(`failing since ${minute(failingSince)}`)
  const state = event.state === 'active' ? active : paint.yellow(`disabled (${event.disabledWhy})`)
  const sent = deliveries
    ? ` · ${deliveries.delivered} delivered, ${deliveries.due} due, ${deliveries.held} held, ` +
      `${deliveries['given-up']} given up`
    : ''
  const rate = `at most ${event.requestsPerSecond} a second`
  const facts = [
    event.id,
    event.organization,
    ...(event.chat === null ? [] : [event.chat]),
    event.kinds.join(', '),
    rate,
  ]
  return [
    `  ${paint.bold(event.url)} ${state}`,
    `      ${paint.dim(`${facts.join(' · ')}${sent}`)}`,
    ...(event.secret === undefined
      ? []
      : [`      Secret  ${paint.bold(event.secret)}`, `      ${paint.dim('Shown only this once.')}`]),
  ].join('\n')
}

function testText(event: EventOf<'webhookTested'>, paint: Paint): string {
  const { status, error, milliseconds, answer } = event
  const isExpected = status !== null && event.isSuccess !== event.isSignatureWrong
  const mark = isExpected ? paint.green('✓') : paint.yellow('!')
  const what =
    status === null ? `The receiver was not reached: ${failureText(error)}` : `The receiver answered ${status}`
  return `  ${mark} ${what} after ${milliseconds} ms${answer ? `: ${answer.slice(0, 200)}` : ''}`
}

/** The code too: documents and programs name it. */
const failureText = (code: string | null): string => {
  const words = attemptFailures[code !== null && isAttemptFailure(code) ? code : 'other']
  return `${words} (${code})`
}

const heldWhy = {
  endpoint: 'held: the endpoint is disabled',
  cap: 'held: too many hits at once',
} as const

function deliveryText(event: EventOf<'webhookDelivery'>, paint: Paint): string {
  const last = event.lastStatus ?? (event.lastError === null ? null : failureText(event.lastError))
  const facts = [
    event.messageId,
    `${event.attempts} ${event.attempts === 1 ? 'attempt' : 'attempts'}`,
    ...(last === null ? [] : [`last: ${last}`]),
    ...(event.state === 'due' ? [`next ${minute(event.dueAt)}`] : []),
    ...(event.heldWhy === null ? [] : [heldWhy[event.heldWhy as keyof typeof heldWhy]]),
  ]
  return `  ${minute(event.createdAt)}  ${event.state.padEnd(9)} ${event.kind}  ${paint.dim(facts.join(' · '))}`
}
