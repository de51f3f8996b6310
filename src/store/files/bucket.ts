// One bucket of an S3-compatible store: whole objects put, read, listed and removed, requests signed (AWS Signature
// Version 4).
import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { Clock, Sleep } from '../../platform/clock.ts'
import { type BucketLocation, bucketUrlOf } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { type HttpAnswer, openHttp, Retryable } from '../../platform/http.ts'
import type { Random } from '../../platform/random.ts'

const maxTries = 4
const firstBackoffMs = 500
/**
 * Maximum bytes of an object: documents have at most 16 MiB before they are compressed, parts of backups little more.
 */
const maxObjectBytes = 64 * 1024 * 1024

export type BucketOptions = {
  /** The machine's clock, never a trial one: what is signed with another time is refused. */
  readonly clock: Clock
  readonly sleep: Sleep
  readonly random: Random
  readonly version: string
  /** What names the bucket, for advice in errors: `the address in TENDERSTOCK_DOCUMENTS`. */
  readonly named: string
  /** How long the store may take to answer; default 30 s. */
  readonly timeoutMs?: number
}

/** An object as the store identifies it: its tag changes whenever its bytes do. */
type FoundObject = { readonly bytes: Buffer; readonly etag: string | undefined }

type ListedObject = { readonly path: string; readonly modifiedAt: number }

/** The condition for replacing an object. Stores without conditions replace it in any case. */
type PutCondition = { readonly ifMatch: string } | { readonly ifAbsent: true }

/**
 * Paths are below the prefix of the location. Throws OperatorError for what the operator can fix, and the reason of a
 * signal that aborts.
 */
export type Bucket = {
  /** Resolves when the store has the whole object. */
  readonly put: (path: string, bytes: Buffer, signal?: AbortSignal) => Promise<void>
  /** Undefined when there is no such object. */
  readonly get: (path: string) => Promise<Buffer | undefined>
  readonly find: (path: string) => Promise<FoundObject | undefined>
  /** False when the condition is not met; `notKnown` when the store refuses conditions. Nothing is stored then. */
  readonly putIf: (path: string, bytes: Buffer, condition: PutCondition) => Promise<boolean | 'notKnown'>
  /** All objects whose paths have this prefix. */
  readonly list: (start: string, signal?: AbortSignal) => Promise<ListedObject[]>
  /** Resolves when there is no such object. */
  readonly remove: (path: string, signal?: AbortSignal) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Opens a bucket. With an endpoint of the operator's own it may be in a private network; without one it is AWS and is
 * reached over the public network only. Addresses are path-style, which every S3-compatible store understands.
 */
export function openBucket(location: BucketLocation, options: BucketOptions): Bucket {
  const http = openHttp({
    network: location.endpoint === undefined ? 'public' : 'any',
    userAgent: `Tenderstock/${options.version}`,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  })
  const bucketUrl = bucketUrlOf(location)
  const base = `${bucketUrl}/${location.prefix}`
  const never = new AbortController().signal

  const ask = async ({ method, url, body, headers: conditions = {}, signal }: Question): Promise<HttpAnswer> => {
    const signer = new AwsV4Signer({
      method,
      url,
      headers: {
        ...conditions,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      accessKeyId: location.accessKeyId,
      secretAccessKey: location.secretAccessKey,
      ...(location.sessionToken !== undefined && { sessionToken: location.sessionToken }),
      service: 's3',
      region: location.region,
      datetime: new Date(options.clock()).toISOString().replace(/[-:]|\.\d{3}/g, ''),
    })
    const signed = await signer.sign()
    return http.send({
      url: signed.url.href,
      method,
      headers: Object.fromEntries(signed.headers),
      redirects: 'leave',
      maxBytes: maxObjectBytes,
      ...(body && { body }),
      ...(signal && { signal }),
    })
  }

  /** Retries until the store answers with anything but an outage of its own. */
  const request = async (question: Question) => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await ask(question)
        const bytes = await answer.bytes()
        const isOutage = answer.status >= 500 && answer.status !== 501
        if (!isOutage && answer.status !== 429 && answer.status !== 408) return { answer, bytes }
        throw new Retryable(`it answered ${[answer.status, codeOf(bytes)].join(' ').trim()}`)
      } catch (error) {
        if (!(error instanceof Retryable)) throw error
        if (tries >= maxTries) {
          const cause = { cause: error }
          throw new Retryable(
            `The bucket ${location.bucket} failed ${maxTries} times, at last: ${error.message}`,
            cause,
          )
        }
        const fraction = options.random.bytes(4).readUInt32BE() / 2 ** 32
        await options.sleep(Math.round(firstBackoffMs * 2 ** (tries - 1) * (0.5 + fraction)), question.signal ?? never)
      }
    }
  }

  const refuse = (status: number, bytes: Uint8Array): never => {
    throw wrong(location, status, bytes, options.named)
  }
  const find = async (path: string): Promise<FoundObject | undefined> => {
    const { answer, bytes } = await request({ method: 'GET', url: base + path })
    if (answer.status === 200) return { bytes: Buffer.from(bytes), etag: answer.headers['etag'] }
    if (answer.status !== 404 || codeOf(bytes) === 'NoSuchBucket') return refuse(answer.status, bytes)
    return undefined
  }

  return {
    put: async (path, body, signal) => {
      const { answer, bytes } = await request({ method: 'PUT', url: base + path, body, signal })
      if (answer.status !== 200) refuse(answer.status, bytes)
    },
    putIf: async (path, body, condition) => {
      const headers: Record<string, string> =
        'ifMatch' in condition ? { 'if-match': condition.ifMatch } : { 'if-none-match': '*' }
      const { answer, bytes } = await request({ method: 'PUT', url: base + path, body, headers })
      if (answer.status === 200) return true
      if (answer.status === 501) return 'notKnown'
      // 404: the object that had to match is gone
      if (answer.status === 412 || answer.status === 409 || codeOf(bytes) === 'NoSuchKey') return false
      return refuse(answer.status, bytes)
    },
    find,
    get: async (path) => (await find(path))?.bytes,
    list: async (start, signal) => {
      const found: ListedObject[] = []
      for (let token: string | undefined; ; ) {
        const url = new URL(bucketUrl)
        url.searchParams.set('list-type', '2')
        url.searchParams.set('prefix', location.prefix + start)
        if (token !== undefined) url.searchParams.set('continuation-token', token)
        const { answer, bytes } = await request({ method: 'GET', url: url.href, signal })
        if (answer.status !== 200) refuse(answer.status, bytes)
        const page = readListing(Buffer.from(bytes).toString(), location.prefix.length)
        found.push(...page.objects)
        if (page.next === undefined) return found
        token = page.next
      }
    },
    remove: async (path, signal) => {
      const { answer, bytes } = await request({ method: 'DELETE', url: base + path, signal })
      const isGone = answer.status === 200 || answer.status === 204
      if (isGone || (answer.status === 404 && codeOf(bytes) !== 'NoSuchBucket')) return
      refuse(answer.status, bytes)
    },
    close: http.close,
  }
}

type Question = {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly url: string
  readonly body?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** A page of ListObjectsV2. Keys are made by us, so only these of XML's escapes can occur. */
function readListing(
  xml: string,
  prefixLength: number,
): { readonly objects: ListedObject[]; readonly next: string | undefined } {
  const plain = (text: string) =>
    text
      .replace(/&(?:quot|#34);/g, '"')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&(?:apos|#39);/g, "'")
      .replace(/&amp;/g, '&')
  const member = (text: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
  const objects = [...xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].map(([, text]) => ({
    path: plain(member(text!, 'Key') ?? '').slice(prefixLength),
    modifiedAt: Date.parse(member(text!, 'LastModified') ?? ''),
  }))
  const next = member(xml, 'NextContinuationToken')
  return { objects, next: member(xml, 'IsTruncated') === 'true' && next !== undefined ? plain(next) : undefined }
}

/** The `Code` of an error answer; the rest of it may repeat the key. */
function codeOf(bytes: Uint8Array): string {
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(Buffer.from(bytes.subarray(0, 10_000)).toString())?.[1] ?? ''
}

function wrong(location: BucketLocation, status: number, bytes: Uint8Array, named: string): OperatorError {
  const code = codeOf(bytes)
  const advice =
    code === 'RequestTimeTooSkewed'
      ? 'set the clock of this machine'
      : status === 403 || status === 401
        ? 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and that they may read and write there'
        : status === 404
          ? 'check that the bucket exists'
          : `check AWS_REGION, AWS_ENDPOINT_URL and ${named}`
  return new OperatorError(
    'bucket-refuses',
    `The bucket ${location.bucket} answered ${[status, code].join(' ').trim()}; ${advice}.`,
  )
}
