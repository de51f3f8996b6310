// A tree of XML as plain values, in which two parsers must agree.
import type { XmlElement } from '../src/sources/xml/xml.ts'

/** Everything that can be read from an element and from those below it. */
export function plainTree(element: XmlElement): unknown {
  return {
    uri: element.uri,
    name: element.name,
    attributes: [...element.attributes].sort(),
    children: element.children.map(plainTree),
    text: element.text,
    // two parsers may cut text at different positions
    mixed: element.mixed?.reduce<unknown[]>((parts, part) => {
      const last = parts.at(-1)
      if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
      else parts.push(typeof part === 'string' ? part : plainTree(part))
      return parts
    }, []),
  }
}
