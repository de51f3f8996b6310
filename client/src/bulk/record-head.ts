// The head of a record: what a copy must know of it that keeps its line as it is.

export type RecordHead = {
  readonly id: string
  readonly lastModified: string
  readonly status: string
  readonly archiveReason?: string
  readonly mergedInto?: string
  /** Length of the line, without its end. */
  readonly bytes: number
  /** What the record adds to the digest, in 64 hexadecimal digits. */
  readonly hash: string
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value)
const isTime = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))

/** Throws where the line is no head. */
export function parsedHead(line: Buffer | undefined): RecordHead {
  const head = JSON.parse(line?.toString() ?? 'null') as { readonly [name in keyof RecordHead]?: unknown } | null
  const { id, lastModified, status, archiveReason, mergedInto, bytes, hash } = head ?? {}
  const isHead =
    isText(id) &&
    isTime(lastModified) &&
    isText(status) &&
    isTextOrNone(archiveReason) &&
    isTextOrNone(mergedInto) &&
    Number.isSafeInteger(bytes) &&
    /^[0-9a-f]{64}$/.test(String(hash))
  if (!isHead) throw new Error('a line is no head of a record')
  return head as RecordHead
}
