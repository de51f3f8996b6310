// XML that a portal delivers as JSON (`cbc:Name`, `@languageID`, `#text`), read back to the tree that the XML parsers
// use.
import { asObject, type JsonObject } from '../ocds/json.ts'
import { namespace, type XmlElement } from './xml.ts'

const ubl = 'urn:oasis:names:specification:ubl:schema:xsd:'

/** The prefixes with which notices in JSON write the namespaces of eForms; JSON loses the declarations themselves. */
const uris: { readonly [prefix: string]: string } = {
  cbc: namespace(`${ubl}CommonBasicComponents-2`),
  cac: namespace(`${ubl}CommonAggregateComponents-2`),
  ext: namespace(`${ubl}CommonExtensionComponents-2`),
  efac: namespace('http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1'),
  efbc: namespace('http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1'),
  efext: namespace('http://data.europa.eu/p27/eforms-ubl-extensions/1'),
}

/** Maximum depth, beyond any notice; bounds the recursion over an untrusted value. */
const maxDepth = 64

function uriOf(prefix: string): string {
  return Object.hasOwn(uris, prefix) ? uris[prefix]! : ''
}

function elementOf(qualified: string, value: unknown, rootUri: string | undefined, depth: number): XmlElement {
  const colon = qualified.indexOf(':')
  const name = qualified.slice(colon + 1)
  const uri = rootUri ?? uriOf(colon < 0 ? '' : qualified.slice(0, colon))
  const object = asObject(value)
  if (!object) {
    const text =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
    return { uri, name, attributes: new Map(), children: [], text }
  }
  const attributes = new Map<string, string>()
  const children: XmlElement[] = []
  let text = ''
  for (const [key, member] of Object.entries(object)) {
    if (key === '#text') text = typeof member === 'string' ? member : typeof member === 'number' ? String(member) : ''
    else if (key.startsWith('@')) {
      if (typeof member === 'string' && !key.startsWith('@xmlns'))
        attributes.set(key.slice(key.indexOf(':') + 1 || 1), member)
    } else if (depth < maxDepth) {
      for (const item of Array.isArray(member) ? member : [member])
        if (item !== null && item !== undefined) children.push(elementOf(key, item, undefined, depth + 1))
    }
  }
  return { uri, name, attributes, children, text }
}

/**
 * The root element of an eForms notice from `{ "ContractNotice": { … } }`; undefined without such a member. JSON loses
 * the order among elements of different names, which the parsers of notices do not need.
 */
export function eformsRootOf(wrapper: JsonObject): XmlElement | undefined {
  for (const [key, value] of Object.entries(wrapper)) {
    const name = key.slice(key.indexOf(':') + 1)
    if (/^(?:ContractNotice|ContractAwardNotice|PriorInformationNotice)$/.test(name) && asObject(value))
      return elementOf(name, value, namespace(`${ubl}${name}-2`), 0)
  }
  return undefined
}
