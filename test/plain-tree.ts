// A tree of XML as plain values: what two ways of reading must agree in.
import type { XmlElement } from '../src/sources/xml/xml.ts'

/** All that can be asked of an element and of those below it. */
export function plainTree(element: XmlElement): unknown {
  return {
    uri: element.uri,
    name: element.name,
    attributes: [...element.attributes].sort(),
    children: element.children.map(plainTree),
    text: element.text,
    // two ways may cut text at other places
    mixed: element.mixed?.reduce<unknown[]>((parts, part) => {
      const last = parts.at(-1)
      if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
      else parts.push(typeof part === 'string' ? part : plainTree(part))
      return parts
    }, []),
  }
}
