// One bucket of an S3-compatible store: whole objects put, read and removed, requests signed (AWS Signature Version 4).
import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { Clock, Sleep } from '../platform/clock.ts'
import type { BucketLocation } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import { type HttpAnswer, openHttp, Retryable } from '../platform/http.ts'
import type { Random } from '../platform/random.ts'

const mostTries = 4
const firstBackoffMs = 500
/** Maximum bytes of an object: documents have at most 16 MiB before they are compressed, parts of backups little more. */
const maxObjectBytes = 64 * 1024 * 1024

type Method = 'GET' | 'PUT' | 'DELETE'

export type BucketOptions = {
  /** The machine's clock. */
  readonly clock: Clock
  readonly sleep: Sleep
  readonly random: Random
  readonly version: string
  /** What names the bucket, for an error's advice: `the address in TENDERSTOCK_DOCUMENTS`. */
  readonly named: string
}

/** Paths are below the prefix of the location. Throws OperatorError for what the operator can repair. */
export type Bucket = {
  /** Resolves when the store has the whole object. */
  readonly put: (path: string, bytes: Buffer) => Promise<void>
  /** Undefined when there is no such object. */
  readonly get: (path: string) => Promise<Buffer | undefined>
  /** Resolves when there is no such object. */
  readonly remove: (path: string) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Opens a bucket. With an endpoint of the operator's own it may be in a private network; without one it is AWS and is
 * reached over the public network only. Addresses are path-style, which every S3-compatible store understands.
 */
export function openBucket(place: BucketLocation, options: BucketOptions): Bucket {
  const http = openHttp({
    network: place.endpoint === undefined ? 'public' : 'any',
    userAgent: `Tenderstock/${options.version}`,
  })
  const base = `${place.endpoint ?? `https://s3.${place.region}.amazonaws.com`}/${place.bucket}/${place.prefix}`
  const never = new AbortController().signal

  const ask = async (method: Method, path: string, body?: Buffer): Promise<HttpAnswer> => {
    const signer = new AwsV4Signer({
      method,
      url: base + path,
      headers: {
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      accessKeyId: place.accessKeyId,
      secretAccessKey: place.secretAccessKey,
      ...(place.sessionToken !== undefined && { sessionToken: place.sessionToken }),
      service: 's3',
      region: place.region,
      datetime: new Date(options.clock()).toISOString().replace(/[-:]|\.\d{3}/g, ''),
    })
    const { url, headers } = await signer.sign()
    return http.send({
      url: url.href,
      method,
      headers: Object.fromEntries(headers),
      redirects: 'leave',
      maxBytes: maxObjectBytes,
      ...(body && { body }),
    })
  }

  /** Asks until the store answers with something that is not an outage of its own. */
  const request = async (method: Method, path: string, body?: Buffer) => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await ask(method, path, body)
        const bytes = await answer.bytes()
        if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) return { answer, bytes }
        throw new Retryable(`The bucket ${place.bucket} answered ${answer.status}`)
      } catch (error) {
        if (!(error instanceof Retryable) || tries >= mostTries) throw error
        const fraction = options.random.bytes(4).readUInt32BE() / 2 ** 32
        await options.sleep(Math.round(firstBackoffMs * 2 ** (tries - 1) * (0.5 + fraction)), never)
      }
    }
  }

  return {
    put: async (path, body) => {
      const { answer, bytes } = await request('PUT', path, body)
      if (answer.status !== 200) throw wrong(place, answer.status, bytes, options.named)
    },
    get: async (path) => {
      const { answer, bytes } = await request('GET', path)
      if (answer.status === 200) return Buffer.from(bytes)
      if (answer.status !== 404 || codeOf(bytes) === 'NoSuchBucket')
        throw wrong(place, answer.status, bytes, options.named)
      return undefined
    },
    remove: async (path) => {
      const { answer, bytes } = await request('DELETE', path)
      const isGone = answer.status === 200 || answer.status === 204
      if (isGone || (answer.status === 404 && codeOf(bytes) !== 'NoSuchBucket')) return
      throw wrong(place, answer.status, bytes, options.named)
    },
    close: http.close,
  }
}

/** The `Code` of an error answer; the rest of it may repeat the key. */
function codeOf(bytes: Uint8Array): string {
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(Buffer.from(bytes.subarray(0, 10_000)).toString())?.[1] ?? ''
}

function wrong(place: BucketLocation, status: number, bytes: Uint8Array, named: string): OperatorError {
  const code = codeOf(bytes)
  const advice =
    status === 403 || status === 401
      ? 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and that they may read, write and remove there'
      : status === 404
        ? 'check that the bucket exists'
        : `check AWS_REGION, AWS_ENDPOINT_URL and ${named}`
  return new OperatorError(`The bucket ${place.bucket} answered ${[status, code].join(' ').trim()}; ${advice}.`)
}
