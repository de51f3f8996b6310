// Archives as portals pack them: zip, tar.gz and gzip, the same bytes for the same members.
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { pack } from 'tar-stream'

export type ArchiveMember = { readonly name: string; readonly bytes: Uint8Array }

/** All members have the same time, so that the bytes depend on nothing else. */
const memberTime = new Date(2020, 0, 1)

export function writeZip(members: readonly ArchiveMember[]): Buffer {
  const files: Record<string, Uint8Array> = {}
  for (const { name, bytes } of members) files[name] = bytes
  return Buffer.from(zipSync(files, { mtime: memberTime, level: 6 }))
}

export async function writeTarGz(members: readonly ArchiveMember[]): Promise<Buffer> {
  const tar = pack()
  for (const { name, bytes } of members) tar.entry({ name, mtime: memberTime }, Buffer.from(bytes))
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return gzipSync(Buffer.concat(chunks), { level: 6 })
}

export function writeGzip(bytes: Uint8Array): Buffer {
  return gzipSync(bytes, { level: 6 })
}
