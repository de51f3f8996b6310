// The address of a channel of a chat is its secret: only the host is stored as it is, the rest is sealed.
import type { Sealer } from '../platform/sealing.ts'
import { type Chat, chatKinds, chatLanguages } from './chat-body.ts'

/**
 * The chat of a stored endpoint; undefined for one that takes signed messages. `unknown`: a newer version made it, and
 * knows what its receiver accepts.
 */
export function chatOf({
  chat,
  language,
}: {
  readonly chat: string | null
  readonly language: string | null
}): Chat | 'unknown' | undefined {
  if (chat === null) return undefined
  const kind = chatKinds.find((each) => each === chat)
  return kind ? { kind, language: chatLanguages.find((each) => each === language) ?? 'en' } : 'unknown'
}

/** What is stored of an address: the host, and the rest sealed. Undefined for one without a path: it is no channel. */
export function sealChatAddress(
  url: string,
  sealer: Pick<Sealer, 'seal'>,
  secretId: string,
): { readonly host: string; readonly stored: { readonly secretId: string; readonly sealed: Buffer } } | undefined {
  const { origin, pathname, search } = new URL(url)
  if (pathname === '/') return undefined
  return { host: `${origin}/`, stored: { secretId, sealed: sealer.seal(Buffer.from(pathname + search), secretId) } }
}

export const chatAddress = (host: string, secret: Uint8Array): string =>
  new URL(host).origin + Buffer.from(secret).toString()
