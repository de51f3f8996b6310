// Webhooks.
import type { Delivery, DeliveryCounts } from '../../store/hits/deliveries.ts'
import type { WebhookEndpoint } from '../../store/hits/webhook-endpoints.ts'
import type { ReceivedWebhook } from '../../webhooks/listen.ts'

export type WebhookEvents = {
  /** `secret`: the plaintext, for an endpoint that was just created. */
  webhook: {
    id: string
    organization: string
    url: string
    description: string
    kinds: readonly string[]
    /** IDs of the searches whose hits it receives; null: all searches of the organization. */
    searches: readonly string[] | null
    state: WebhookEndpoint['state']
    disabledWhy: string | null
    failingSince: number | null
    requestsPerSecond: number
    /** `slack`, `teams`; null: signed messages. */
    chat: string | null
    deliveries?: DeliveryCounts
    secret?: string
  }
  webhookTested: {
    id: string
    isSuccess: boolean
    isSignatureWrong: boolean
    status: number | null
    error: string | null
    milliseconds: number
    answer: string | null
  }
  webhookRotated: { id: string; secret: string }
  /** The address of a channel was entered again. */
  webhookReaddressed: { id: string }
  webhookEnabled: { id: string }
  webhookDisabled: { id: string }
  webhookRemoved: { id: string }
  webhookReleased: { id: string; deliveries: number }
  webhookReplayed: { id: string; deliveries: number }
  webhookDelivery: Delivery
  listening: { url: string }
  webhookReceived: ReceivedWebhook & { line: string }
  webhookRefused: { reason: string }
  /** From the receiver in the samples. */
  hitReceived: { id: string; line: string }
}
