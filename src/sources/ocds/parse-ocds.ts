// OCDS packages, records and releases: finds every release in a JSON document and reads it to a notice or a rejection.
import type { ParsedPart, RejectionReason } from '../../domain/notice.ts'
import { parseSourceDateTime } from '../../domain/time.ts'
import { asObject, type JsonObject, member, objectsOf, textAt } from './json.ts'
import { ocidOf } from './publishers.ts'
import { type ReleaseContext, readRelease } from './read-release.ts'
import { compileVersions, isVersioned } from './versioned-release.ts'

/** Maximum depth of arrays of packages of arrays … */
const maxNesting = 4

/** Members in which portals wrap a package or its releases. */
const wrappers = [
  'result',
  'releasePackage',
  'recordPackage',
  'arrayReleasePackage',
  'payload',
  'content',
  'data',
  'item',
]

const isRelease = (value: JsonObject): boolean =>
  (Object.hasOwn(value, 'ocid') || ocidOf(value) !== undefined) &&
  ['tag', 'tender', 'buyer', 'date', 'id', 'planning', 'awards', 'contracts', 'parties'].some((key) =>
    Object.hasOwn(value, key),
  )
const isRecord = (value: JsonObject): boolean =>
  asObject(member(value, 'compiledRelease')) !== undefined ||
  asObject(member(value, 'versionedRelease')) !== undefined ||
  (Object.hasOwn(value, 'ocid') && Array.isArray(member(value, 'releases')))
/** `releases` alone is not enough: software has releases too. */
const isPackage = (value: JsonObject): boolean =>
  (Array.isArray(member(value, 'releases')) || Array.isArray(member(value, 'records'))) &&
  (['publishedDate', 'uri', 'publisher', 'extensions', 'license', 'publicationPolicy'].some((key) =>
    Object.hasOwn(value, key),
  ) ||
    [...objectsOf(value, 'releases'), ...objectsOf(value, 'records')].some(
      (item) => Object.hasOwn(item, 'ocid') || isRecord(item),
    ))

/** What a wrapper holds: `{result: {releases: …}}`, `{payload: {content: [ … ]}}`. */
function wrappedIn(value: JsonObject): { readonly name: string; readonly content: unknown } | undefined {
  if (isRecord(value) || isPackage(value) || isRelease(value)) return undefined
  const name = wrappers.find((wrapper) => typeof member(value, wrapper) === 'object' && member(value, wrapper) !== null)
  return name === undefined ? undefined : { name, content: member(value, name) }
}

/** True for a package, a record, a release, an array that begins with one of them, or what wraps one of these. */
export function isOcds(json: unknown): boolean {
  let value = json
  for (let depth = 0; depth < maxNesting; depth++) {
    if (Array.isArray(value)) {
      value = value.find((item) => typeof item === 'object' && item !== null)
      continue
    }
    const object = asObject(value)
    if (!object) return false
    if (isRecord(object) || isPackage(object) || isRelease(object)) return true
    value = wrappedIn(object)?.content
  }
  const object = asObject(value)
  return object !== undefined && (isRecord(object) || isPackage(object) || isRelease(object))
}

const rejected = (pointer: string, reason: RejectionReason, detail: string): ParsedPart => ({
  pointer,
  rejection: { reason, path: pointer, detail },
})

function fromRelease(value: unknown, pointer: string, context: ReleaseContext): ParsedPart {
  const release = asObject(value)
  if (!release) return rejected(pointer, 'invalid-content', 'a release is not an object')
  const read = isVersioned(release)
    ? readRelease(compileVersions(release), { ...context, isCompiled: true })
    : readRelease(release, context)
  return 'reason' in read ? rejected(pointer, read.reason, read.detail) : { pointer, notice: read }
}

/** Newest by date; of equal or missing dates the last, as publishers append. */
function newestOf(releases: readonly unknown[]): number | undefined {
  let newest: { index: number; date: string } | undefined
  for (const [index, value] of releases.entries()) {
    const release = asObject(value)
    // A linked release has a url and no content.
    if (
      !release ||
      !Object.hasOwn(release, 'ocid') ||
      (Object.hasOwn(release, 'url') && !Object.hasOwn(release, 'tender') && !Object.hasOwn(release, 'parties'))
    )
      continue
    const date = parseSourceDateTime(textAt(release, 'date') ?? '', 'UTC', 'start-of-day') ?? ''
    if (!newest || date >= newest.date) newest = { index, date }
  }
  return newest?.index
}

function fromRecord(record: JsonObject, pointer: string, context: ReleaseContext): ParsedPart {
  const ocid = textAt(record, 'ocid')
  const own: ReleaseContext = { ...context, ...(ocid === undefined ? {} : { ocid }) }
  const compiled = asObject(member(record, 'compiledRelease'))
  if (compiled) return fromRelease(compiled, `${pointer}/compiledRelease`, { ...own, isCompiled: true })
  const versioned = asObject(member(record, 'versionedRelease'))
  if (versioned) return fromRelease(versioned, `${pointer}/versionedRelease`, own)
  const releases = member(record, 'releases')
  const newest = Array.isArray(releases) ? newestOf(releases) : undefined
  if (newest === undefined || !Array.isArray(releases)) {
    return rejected(
      pointer,
      'missing-content',
      'the record holds neither a compiled nor an embedded release, at most links',
    )
  }
  return fromRelease(releases[newest], `${pointer}/releases/${newest}`, own)
}

function fromObject(value: unknown, pointer: string, context: ReleaseContext): ParsedPart[] {
  const object = asObject(value)
  if (!object) return [rejected(pointer, 'invalid-content', 'neither a package nor a release')]
  if (isRecord(object)) return [fromRecord(object, pointer, context)]
  const records = member(object, 'records')
  const releases = member(object, 'releases')
  if (!Array.isArray(records) && !Array.isArray(releases)) return [fromRelease(object, pointer, context)]
  const publishedDate = textAt(object, 'publishedDate')
  const version = textAt(object, 'version')
  const own: ReleaseContext = {
    ...context,
    ...(publishedDate === undefined ? {} : { publishedDate }),
    ...(version === undefined ? {} : { version }),
  }
  const parts: ParsedPart[] = []
  if (Array.isArray(records)) {
    for (const [index, item] of records.entries()) {
      const record = asObject(item)
      const at = `${pointer}/records/${index}`
      parts.push(record ? fromRecord(record, at, own) : rejected(at, 'invalid-content', 'a record is not an object'))
    }
  }
  if (Array.isArray(releases))
    for (const [index, item] of releases.entries()) parts.push(fromRelease(item, `${pointer}/releases/${index}`, own))
  return parts.length > 0 ? parts : [rejected(pointer, 'missing-content', 'the package holds no release')]
}

/**
 * Every release of an OCDS document as a notice or a rejection, each with its JSON pointer (RFC 6901). Of a record the
 * compiled release counts, else the versioned one, else the newest embedded one. `country`: of the portal, for
 * organizations that name none. Never throws and never returns nothing; expects parsed JSON.
 */
export function parseOcds(json: unknown, country?: string): ParsedPart[] {
  const parts: ParsedPart[] = []
  const visit = (value: unknown, pointer: string, depth: number): void => {
    if (!Array.isArray(value)) {
      const object = asObject(value)
      const wrapped = object && depth < maxNesting ? wrappedIn(object) : undefined
      if (wrapped) visit(wrapped.content, `${pointer}/${wrapped.name}`, depth + 1)
      else
        parts.push(...fromObject(value, pointer, { isCompiled: false, ...(country === undefined ? {} : { country }) }))
      return
    }
    if (depth >= maxNesting) {
      parts.push(rejected(pointer, 'too-deep', `arrays are nested deeper than ${maxNesting} levels`))
      return
    }
    for (const [index, item] of value.entries()) visit(item, `${pointer}/${index}`, depth + 1)
  }
  visit(json, '', 0)
  return parts.length > 0 ? parts : [rejected('', 'missing-content', 'the array holds no release')]
}
