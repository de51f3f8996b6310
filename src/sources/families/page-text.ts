// HTML pages that a fetch needs for their forms and links: small ones, read whole.
import type { FetchContext } from '../fetch.ts'
import { decodeEntities } from '../text.ts'

const maxPageBytes = 8 * 1024 * 1024

/** The text of a page. */
export async function pageText(context: FetchContext, url: string): Promise<string> {
  const reply = await context.send({ url, headers: { Accept: 'text/html' }, maxBytes: maxPageBytes, expects: 'page' })
  return new TextDecoder().decode(await reply.bytes())
}

/** Attributes of every start tag of that name. */
export function tagsIn(html: string, name: string): ReadonlyMap<string, string>[] {
  return [...html.matchAll(new RegExp(`<${name}\\b((?:[^>"']|"[^"]*"|'[^']*')*)>`, 'gi'))].map(
    ([, attributes]) =>
      new Map(
        [...attributes!.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(
          ([, key, double, single]) => [key!.toLowerCase(), decodeEntities(double ?? single ?? '')] as const,
        ),
      ),
  )
}
