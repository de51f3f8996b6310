// Faults of the network in words: `fetch failed` alone does not say what to check.

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null

/** Codes and messages of an error and of its causes; of several addresses that were tried, the first. */
function* chainOf(error: unknown): Generator<{ readonly code: string; readonly message: string }> {
  let at: unknown = error
  for (let depth = 0; depth < 8 && isObject(at); depth++) {
    yield {
      code: typeof at.code === 'string' ? at.code : '',
      message: typeof at.message === 'string' ? at.message : '',
    }
    at = at.cause ?? (Array.isArray(at.errors) ? at.errors[0] : undefined)
  }
}

const words: readonly (readonly [code: RegExp, text: string])[] = [
  [/^ECONNREFUSED$/, 'the connection was refused: nothing listens at this address'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'the name of the host cannot be resolved (DNS)'],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'the host does not answer'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'there is no route to the host'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was lost'],
  [/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|^EPROTO$/, 'TLS failed'],
]

/** What went wrong, with the runtime's code and words if they add something. */
export function faultText(error: unknown): string {
  const chain = [...chainOf(error)]
  for (const { code, message } of chain) {
    const text = words.find(([pattern]) => pattern.test(code))?.[1]
    if (text !== undefined) return `${text} (${code}${text === 'TLS failed' && message !== '' ? `: ${message}` : ''})`
  }
  const known = chain.find(({ code }) => code !== '')
  const message = chain[0]?.message ?? String(error)
  return known ? `${message} (${known.code})` : message
}
