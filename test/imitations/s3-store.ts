// An S3-compatible store on loopback: path-style GET, PUT and DELETE, listings in short pages, its own check of every
// signature, errors on demand.
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Signed = {
  readonly method: string
  /** As in the request line, already encoded. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly signedHeaders: readonly string[]
  readonly payloadHash: string
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly time: string
  readonly region: string
  readonly secretAccessKey: string
}

/**
 * AWS Signature Version 4 for S3, from its description alone (docs.aws.amazon.com/AmazonS3/latest/API, "Authenticating
 * Requests: Using the Authorization Header"); shares no code with the client that it checks.
 */
export function signatureOf(request: Signed): string {
  const canonical = [
    request.method,
    request.path,
    request.query.split('&').filter(Boolean).sort().join('&'),
    ...request.signedHeaders.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    request.signedHeaders.join(';'),
    request.payloadHash,
  ].join('\n')
  const day = request.time.slice(0, 8)
  const scope = `${day}/${request.region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', request.time, scope, sha256(canonical)].join('\n')
  const key = [day, request.region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    `AWS4${request.secretAccessKey}`,
  )
  return createHmac('sha256', key).update(toSign).digest('hex')
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

export type S3Store = AsyncDisposable & {
  readonly url: string
  /** By bucket and key: `bucket/ab/cd/abcd….deflate`. */
  readonly objects: Map<string, Buffer>
  readonly requests: { readonly method: string; readonly path: string }[]
  /** The next requests receive these answers: a status, or a broken connection. */
  readonly faults: (number | 'broken')[]
  /** Asked about each request that has no such fault: the status with which it is refused. */
  refusal: (method: string, path: string) => number | undefined
  /** What listings say of all objects. */
  modifiedAt: number
}

/** Far fewer than S3 has, so that no listing is on one page. */
const keysOfPage = 3

const accessKeyId = 'AKIDMADEUP'
const secretAccessKey = 'made/up+secret'
export const s3Keys = { accessKeyId, secretAccessKey }

/** Requests signed with a time that is more than 15 minutes away from `clock` are refused, as S3 does. */
export async function startS3Store(options: {
  readonly bucket: string
  readonly region: string
  readonly clock: () => number
}): Promise<S3Store> {
  const objects = new Map<string, Buffer>()
  const requests: { method: string; path: string }[] = []
  const faults: (number | 'broken')[] = []
  const server = createServer(async (request, reply) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const path = request.url!.split('?')[0]!
    requests.push({ method: request.method!, path })
    const fault = faults.shift() ?? store.refusal(request.method!, path)
    if (fault === 'broken') return request.socket.destroy()
    const refuse = (status: number, code: string) =>
      reply
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${path}</Message></Error>`)
    if (fault !== undefined) return refuse(fault, 'SlowDown')
    const isPresigned = request.url!.includes('X-Amz-Signature=')
    const wrong = isPresigned ? refusalOfAddress(request, options) : refusalOf(request, body, options)
    if (wrong) return refuse(403, wrong)
    const name = decodeURIComponent(path.slice(1))
    if (request.method === 'GET' && name === options.bucket)
      return reply.writeHead(200).end(listingOf(store, `${name}/`, new URL(request.url!, 'http://store').searchParams))
    if (!name.startsWith(`${options.bucket}/`)) return refuse(404, 'NoSuchBucket')
    if (request.method === 'PUT') {
      objects.set(name, body)
      return reply.writeHead(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` }).end()
    }
    if (request.method === 'DELETE') {
      objects.delete(name)
      return reply.writeHead(204).end()
    }
    const found = objects.get(name)
    if (!found) return refuse(404, 'NoSuchKey')
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const range = { 'content-range': `bytes ${from}-${found.length - 1}/${found.length}` }
    const rest = found.subarray(from)
    return reply.writeHead(from > 0 ? 206 : 200, { ...(from > 0 && range), 'content-length': rest.length }).end(rest)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const store: S3Store = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    faults,
    refusal: () => undefined,
    modifiedAt: Date.UTC(2026, 0, 1),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return store
}

/** A page of ListObjectsV2, in the order of the keys. */
function listingOf({ objects, modifiedAt }: S3Store, bucket: string, asked: URLSearchParams): string {
  const [prefix, after] = [asked.get('prefix') ?? '', asked.get('continuation-token') ?? '']
  const keys = [...objects.keys()].filter((name) => name.startsWith(bucket)).map((name) => name.slice(bucket.length))
  const left = keys.filter((key) => key.startsWith(prefix) && key > after).sort()
  const page = left.slice(0, keysOfPage)
  const more = left.length > page.length
  const listed = page.map(
    (key) => `<Contents><Key>${key}</Key><LastModified>${new Date(modifiedAt).toISOString()}</LastModified></Contents>`,
  )
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${listed.join('')}</ListBucketResult>`
}

const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

/** "Authenticating Requests: Using Query Parameters". */
function refusalOfAddress(
  request: IncomingMessage,
  { region, clock }: { readonly region: string; readonly clock: () => number },
): string | undefined {
  if (request.headers.authorization !== undefined) return 'InvalidArgument'
  const [path, query = ''] = request.url!.split('?')
  const asked = new URLSearchParams(query)
  const time = asked.get('X-Amz-Date') ?? ''
  const signedHeaders = asked.get('X-Amz-SignedHeaders') ?? ''
  if (request.method !== 'GET' || asked.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return 'AccessDenied'
  if (asked.get('X-Amz-Credential') !== `${accessKeyId}/${time.slice(0, 8)}/${region}/s3/aws4_request`)
    return 'InvalidAccessKeyId'
  if (!(clock() <= timeOf(time) + Number(asked.get('X-Amz-Expires')) * 1000)) return 'AccessDenied'
  const expected = signatureOf({
    method: 'GET',
    path: path!,
    query: query.replace(/&?X-Amz-Signature=[0-9a-f]*/, ''),
    headers: request.headers as { readonly [name: string]: string },
    signedHeaders: signedHeaders.split(';'),
    payloadHash: 'UNSIGNED-PAYLOAD',
    time,
    region,
    secretAccessKey,
  })
  return asked.get('X-Amz-Signature') === expected ? undefined : 'SignatureDoesNotMatch'
}

function refusalOf(
  request: IncomingMessage,
  body: Buffer,
  { region, clock }: { readonly region: string; readonly clock: () => number },
): string | undefined {
  const headers = request.headers as { readonly [name: string]: string }
  const [, credential, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const time = headers['x-amz-date'] ?? ''
  if (credential !== `${accessKeyId}/${time.slice(0, 8)}/${region}/s3/aws4_request`) return 'InvalidAccessKeyId'
  const signedHeaders = signed!.split(';')
  for (const needed of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!signedHeaders.includes(needed)) return 'AccessDenied'
  if (!(Math.abs(timeOf(time) - clock()) <= 15 * 60_000)) return 'RequestTimeTooSkewed'
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const [path, query = ''] = request.url!.split('?')
  const expected = signatureOf({
    method: request.method!,
    path: path!,
    query,
    headers,
    signedHeaders,
    payloadHash: sha256(body),
    time,
    region,
    secretAccessKey,
  })
  return signature === expected ? undefined : 'SignatureDoesNotMatch'
}
