// The namespaces of eForms (UBL 2.3 and its eForms extension) and shortcuts through them.
import { child, childrenOf, namespace, textOf, type XmlElement } from '../xml/xml.ts'

const ublPrefix = 'urn:oasis:names:specification:ubl:schema:xsd:'
const cbcUri = namespace(`${ublPrefix}CommonBasicComponents-2`)
const cacUri = namespace(`${ublPrefix}CommonAggregateComponents-2`)
const extUri = namespace(`${ublPrefix}CommonExtensionComponents-2`)
const efacUri = namespace('http://data.europa.eu/p27/eforms-ubl-extension-aggregate-components/1')
const efbcUri = namespace('http://data.europa.eu/p27/eforms-ubl-extension-basic-components/1')
const efextUri = namespace('http://data.europa.eu/p27/eforms-ubl-extensions/1')

type Maybe = XmlElement | undefined

/** First `cac:` child. */
export const cac = (element: Maybe, name: string): Maybe => child(element, cacUri, name)
/** All `cac:` children. */
export const allCac = (element: Maybe, name: string): readonly XmlElement[] => childrenOf(element, cacUri, name)
/** First `cbc:` child. */
export const cbc = (element: Maybe, name: string): Maybe => child(element, cbcUri, name)
/** All `cbc:` children. */
export const allCbc = (element: Maybe, name: string): readonly XmlElement[] => childrenOf(element, cbcUri, name)
/** First `efac:` child. */
export const efac = (element: Maybe, name: string): Maybe => child(element, efacUri, name)
/** All `efac:` children. */
export const allEfac = (element: Maybe, name: string): readonly XmlElement[] => childrenOf(element, efacUri, name)
/** First `efbc:` child. */
export const efbc = (element: Maybe, name: string): Maybe => child(element, efbcUri, name)
/** All `efbc:` children. */
export const allEfbc = (element: Maybe, name: string): readonly XmlElement[] => childrenOf(element, efbcUri, name)
/** Trimmed text of the first `cbc:` child. */
export const cbcText = (element: Maybe, name: string): string | undefined => textOf(cbc(element, name))
/** Trimmed text of the first `efbc:` child. */
export const efbcText = (element: Maybe, name: string): string | undefined => textOf(efbc(element, name))

/** The eForms extension of an element, in any of its UBLExtension elements. */
export function extensionOf(element: Maybe): Maybe {
  for (const extension of childrenOf(child(element, extUri, 'UBLExtensions'), extUri, 'UBLExtension')) {
    const found = child(child(extension, extUri, 'ExtensionContent'), efextUri, 'EformsExtension')
    if (found) return found
  }
  return undefined
}

/** The technical id (`ORG-0001`, `LOT-0001`, `TEN-0001`) in the `cbc:ID` of an element. */
export const idOf = (element: Maybe): string | undefined => cbcText(element, 'ID')

/** A code; undefined for `unpublished`, which marks a withheld code. Codes longer than any list's are truncated. */
export function codeOf(element: Maybe): string | undefined {
  const code = textOf(element)
  return code === undefined || code.toLowerCase() === 'unpublished' ? undefined : code.slice(0, 200)
}
