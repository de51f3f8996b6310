// Compression of a page on which somebody is named beside text that others may have put into its address.
import { constants, crc32, deflateRawSync } from 'node:zlib'

/** The fixed head of gzip (RFC 1952): deflate, no name, no time, unknown system. */
const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/**
 * The parts in one gzip stream, each compressed on its own: how short one becomes says nothing about what another
 * holds, so a guess in one part is never confirmed by the length of the whole (BREACH).
 */
export function gzipApart(parts: readonly string[]): Buffer {
  const packed = parts.map((part, index) =>
    deflateRawSync(part, { finishFlush: index < parts.length - 1 ? constants.Z_FULL_FLUSH : constants.Z_FINISH }),
  )
  const whole = Buffer.from(parts.join(''))
  const foot = Buffer.alloc(8)
  foot.writeUInt32LE(crc32(whole))
  foot.writeUInt32LE(whole.length % 2 ** 32, 4)
  return Buffer.concat([head, ...packed, foot])
}
