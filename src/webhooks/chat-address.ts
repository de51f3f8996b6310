// The address of a channel of a chat is its secret: only the host is stored as it is, the rest is sealed.
import { type Chat, chatKinds, chatLanguages } from './chat-body.ts'

/** The chat of a stored endpoint; undefined for one that takes signed messages. */
export function chatOf({
  chat,
  language,
}: {
  readonly chat: string | null
  readonly language: string | null
}): Chat | undefined {
  const kind = chatKinds.find((each) => each === chat)
  return kind && { kind, language: chatLanguages.find((each) => each === language) ?? 'en' }
}

/** What is shown of an address, and what is sealed. Undefined for an address without a path: it is no channel. */
export function splitChatAddress(url: string): { readonly host: string; readonly secret: Buffer } | undefined {
  const { origin, pathname, search } = new URL(url)
  if (pathname === '/') return undefined
  return { host: `${origin}/`, secret: Buffer.from(pathname + search) }
}

export const chatAddress = (host: string, secret: Uint8Array): string =>
  new URL(host).origin + Buffer.from(secret).toString()
