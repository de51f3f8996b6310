// Addresses in the operator's bucket, signed here (AWS Signature Version 4) without asking it.
import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '../../platform/clock.ts'
import { type BucketLocation, bucketUrlOf } from '../../platform/config.ts'

/** The shortest time in which a client can begin: a transfer that began goes on. */
const addressSeconds = 60

/** Makes addresses from which whoever has them can load an object, without a header, for a minute. */
export function openAddresses(location: BucketLocation, clock: Clock): (path: string) => Promise<string> {
  const { accessKeyId, secretAccessKey, sessionToken, region, prefix } = location
  return async (path) => {
    const url = new URL(`${bucketUrlOf(location)}/${prefix}${path}`)
    url.searchParams.set('X-Amz-Expires', String(addressSeconds))
    const signer = new AwsV4Signer({
      method: 'GET',
      url: url.href,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      datetime: new Date(clock()).toISOString().replace(/[-:]|\.\d{3}/g, ''),
      signQuery: true,
    })
    return (await signer.sign()).url.href
  }
}
