// `tenderstock webhook listen`: a trial receiver on this machine.
import { OperatorError } from '../../platform/errors.ts'
import { aborted } from '../../platform/within.ts'
import { listenForWebhooks, webhookLine } from '../../webhooks/listen.ts'
import { webhookSecretBytes } from '../../webhooks/signature.ts'
import { secretInFile } from '../control/secret-file.ts'
import type { Emit } from '../events/command-event.ts'

/**
 * Prints what it receives until it is stopped. Throws OperatorError without a usable secret, or when the port is taken.
 */
export async function listenWebhooks(options: {
  readonly port: number
  /** TENDERSTOCK_WEBHOOK_SECRET. */
  readonly secret: string | undefined
  readonly secretFile: string | undefined
  readonly emit: Emit
  readonly stop: AbortSignal
}): Promise<void> {
  const { port, emit, stop } = options
  const secret = options.secretFile === undefined ? options.secret : await secretInFile(options.secretFile)
  if (secret === undefined || !webhookSecretBytes(secret))
    throw new OperatorError(
      'option-missing',
      'The receiver needs the secret of the endpoint, which `tenderstock webhook create` shows once: set ' +
        'TENDERSTOCK_WEBHOOK_SECRET, or pass --secret-file FILE.',
    )
  const listener = await listenForWebhooks({
    port,
    secret,
    onWebhook: (webhook) => emit({ event: 'webhookReceived', ...webhook, line: webhookLine(webhook) }),
    onRefused: (reason) => emit({ event: 'webhookRefused', reason }),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new OperatorError(
      'port-in-use',
      `Port ${port} is in use; stop the program that listens there, or choose another with --port.`,
    )
  })
  emit({ event: 'listening', url: listener.url })
  await aborted(stop)
  await listener.close()
}
