// Where the secrets of webhooks come from: the environment or a file, never the command line, as with the token.
import { readFile } from 'node:fs/promises'
import { isWebhookSecret } from '../webhooks/verify-webhook.ts'
import type { Environment } from './environment.ts'
import { UsageError } from './usage-error.ts'

/**
 * Returns the secrets for each request, separated by spaces or lines. A file is reread each time, so that a rotation
 * needs no restart.
 */
export function webhookSecrets(
  secretFile: string | undefined,
  { variables }: Environment,
): () => Promise<readonly string[]> {
  if (secretFile === undefined) {
    const text = variables.TENDER_WEBHOOK_SECRET ?? ''
    if (text.trim() === '')
      throw new UsageError('There is no webhook secret: set TENDER_WEBHOOK_SECRET or pass --secret-file.')
    const secrets = secretsIn(text, 'TENDER_WEBHOOK_SECRET')
    return async () => secrets
  }
  return async () => {
    let text: string
    try {
      text = await readFile(secretFile, 'utf8')
    } catch (cause) {
      throw new UsageError(`The secret file ${secretFile} cannot be read: check its path and permissions.`, { cause })
    }
    return secretsIn(text, `The secret file ${secretFile}`)
  }
}

function secretsIn(text: string, source: string): readonly string[] {
  const secrets = text.split(/\s+/).filter((word) => word !== '')
  if (secrets.length === 0 || !secrets.every(isWebhookSecret))
    throw new UsageError(
      `${source} must hold the secret of the endpoint (whsec_…), or the old and the new one while they are rotated, and nothing else.`,
    )
  return secrets
}
