// Names of elements and attributes as numbers, so that the fast parser compares numbers and creates no strings.

/** A name with its namespace resolved. */
export type ExpandedName = { readonly uri: string; readonly name: string }

const slotCount = 16_384
/**
 * Maximum names: fewer than the slots, so that a search always ends quickly. Documents of all formats together use some
 * 3,000 names.
 */
const maxNames = 8_000
/** Maximum expanded names: their numbers fit 16 bits. */
const maxExpanded = 16_000
const maxBytes = 1_000_000
const maxScopes = 500
const xmlUri = 'http://www.w3.org/XML/1998/namespace'
const xmlnsUri = 'http://www.w3.org/2000/xmlns/'

/**
 * The namespaces declared at a position, and the names resolved there. The same declarations are the same scope, in
 * any document.
 */
export class Scope {
  readonly parent: Scope | undefined
  readonly uris: ReadonlyMap<string, string>
  /** Number of the expanded name by number of the name as written; 0: not resolved yet. */
  readonly resolved = new Uint16Array(maxNames + 1)
  readonly inner = new Map<string, Scope>()

  constructor(parent: Scope | undefined, uris: ReadonlyMap<string, string>) {
    this.parent = parent
    this.uris = uris
  }

  /** The URI of a prefix; undefined when it is not declared. No prefix and no default namespace: ``. */
  uriOf(prefix: string): string | undefined {
    for (let at: Scope | undefined = this; at; at = at.parent) {
      const uri = at.uris.get(prefix)
      if (uri !== undefined) return uri
    }
    return prefix === '' ? '' : prefix === 'xml' ? xmlUri : undefined
  }
}

/**
 * Every name that was read, each once. A full table is replaced with a new one; documents read with it keep it.
 * Documents that invent names therefore cost time but no memory.
 */
export class XmlNames {
  /** Number of a name by its hash; 0: free. */
  readonly slots = new Int32Array(slotCount)
  readonly hashes = new Int32Array(maxNames + 1)
  /** Where the bytes of a name begin in `bytes`; they end where those of the next name begin. */
  readonly starts = new Int32Array(maxNames + 2)
  bytes = new Uint8Array(65_536)
  /** By number of a name: prefix and local name; undefined where it is none that Namespaces in XML allow. */
  readonly prefixes: (string | undefined)[] = ['']
  readonly locals: string[] = ['']
  /** 1: a namespace declaration, 2: another name with a prefix, 3: no qualified name, else 0. */
  readonly kinds = new Uint8Array(maxNames + 1)
  /** By number of an expanded name. */
  readonly expanded: ExpandedName[] = [{ uri: '', name: '' }]
  readonly root = new Scope(undefined, new Map())
  readonly #numbers = new Map<string, Map<string, number>>()
  #lastUri: string | undefined
  #ofLastUri: ReadonlyMap<string, number> = new Map()
  #count = 0
  #scopes = 0

  get isFull(): boolean {
    return (
      this.#count > maxNames - 1_000 ||
      this.starts[this.#count + 1]! > maxBytes ||
      this.#scopes > maxScopes / 2 ||
      this.expanded.length > maxExpanded - maxNames
    )
  }

  /** Adds a name of ASCII characters; 0 if there is no room. `slot` is the free one where its search ended. */
  add(document: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    if (this.#count >= maxNames || end - start > 1_000) return 0
    const number = ++this.#count
    const at = this.starts[number]!
    if (at + end - start > this.bytes.length) {
      const larger = new Uint8Array(2 * this.bytes.length)
      larger.set(this.bytes)
      this.bytes = larger
    }
    this.bytes.set(document.subarray(start, end), at)
    this.starts[number + 1] = at + end - start
    this.hashes[number] = hash
    this.slots[slot] = number
    const written = String.fromCharCode(...document.subarray(start, end))
    const colon = written.indexOf(':')
    const isQualified = colon < 0 || (colon > 0 && colon < written.length - 1 && written.indexOf(':', colon + 1) < 0)
    this.prefixes.push(isQualified ? written.slice(0, Math.max(colon, 0)) : undefined)
    this.locals.push(interned(written.slice(colon + 1)))
    const isDeclaration = written === 'xmlns' || written.startsWith('xmlns:')
    this.kinds[number] = isDeclaration ? (isQualified ? 1 : 3) : isQualified ? (colon < 0 ? 0 : 2) : 3
    return number
  }

  /** Resolves an element's name; 0 when its prefix is not declared, it is no qualified name, or there is no room. */
  resolve(scope: Scope, number: number): number {
    const prefix = this.prefixes[number]
    const uri = prefix === undefined ? undefined : scope.uriOf(prefix)
    if (uri === undefined) return 0
    const local = this.locals[number]!
    let ofUri = this.#numbers.get(uri)
    if (!ofUri) {
      ofUri = new Map()
      this.#numbers.set(uri, ofUri)
    }
    let found = ofUri.get(local)
    if (found === undefined) {
      if (this.expanded.length > maxExpanded) return 0
      found = this.expanded.push({ uri, name: local }) - 1
      ofUri.set(local, found)
    }
    scope.resolved[number] = found
    return found
  }

  /** The number of an expanded name; 0 when no document had it. */
  numberOf(uri: string, name: string): number {
    // one namespace is asked for again and again
    if (uri !== this.#lastUri) {
      const ofUri = this.#numbers.get(uri)
      if (!ofUri) return 0
      this.#lastUri = uri
      this.#ofLastUri = ofUri
    }
    return this.#ofLastUri.get(name) ?? 0
  }

  /**
   * The scope inside `outer` with these declarations, prefixes and URIs alternating; undefined if one is not allowed,
   * or there is no room.
   */
  scopeInside(outer: Scope, declarations: readonly string[]): Scope | undefined {
    const key = declarations.join('\0')
    const known = outer.inner.get(key)
    if (known || this.#scopes > maxScopes) return known
    const uris = new Map<string, string>()
    for (let index = 0; index < declarations.length; index += 2) {
      const prefix = declarations[index]!
      const uri = declarations[index + 1]!
      const isReserved = prefix === 'xmlns' || uri === xmlnsUri || (prefix === 'xml') !== (uri === xmlUri)
      if (isReserved || (prefix !== '' && uri === '')) return undefined
      uris.set(prefix, uri)
    }
    const scope = new Scope(outer, uris)
    this.#scopes += 1
    outer.inner.set(key, scope)
    return scope
  }
}

/** The same string as in our own code, so that comparing the two is comparing pointers. */
function interned(text: string): string {
  return Object.keys({ [text]: 0 })[0]!
}
