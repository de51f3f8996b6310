// Mail addresses as people and settings write them.
import { domainToASCII } from 'node:url'

/** The domain of the `Message-ID` of mails from this address; a generic one for mails that wait for settings. */
export const mailDomainOf = (from: string | undefined): string => from?.split('@')[1] ?? 'tenderstock.invalid'

/** Maximum length of an address, and of the part before the `@` (RFC 5321, 4.5.3.1). */
const maxLength = 254
const maxLocalLength = 64

/**
 * The address in the form in which it is stored: its domain in ASCII and lower case. Undefined when it is not valid.
 * Letters beyond ASCII before the `@`, quoted parts and comments are not accepted.
 */
export function mailAddressOf(text: string): string | undefined {
  const [, local, name] =
    /^([A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*)@([^@\s\p{Cc}]+)$/u.exec(text.trim()) ?? []
  if (local === undefined || local.length > maxLocalLength) return undefined
  const domain = domainToASCII(name!)
  const isDomain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(domain)
  const address = `${local}@${domain}`
  return isDomain && address.length <= maxLength ? address : undefined
}
