// The peer for pages: the minimum that Node can do for the same bytes without native code. A socket, fixed headers,
// pages from memory or, if there are more than a reader keeps ready, read from the disk's cache into buffers that are
// reused; no token, no limit, no cursor, no HTTP parser. Run: node bench/peers/bare-socket.ts PORT FOLDER, files
// SET/NAME and SET/NAME.gz
import { openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Maximum bytes of pages to keep, as in a reader (log-view.ts). */
const keptBytes = 64 * 1024 * 1024
/** Size of a socket's buffer, as in the service (server.ts). */
const highWaterMark = 256 * 1024

type Page = { readonly length: number; readonly kept: Buffer | undefined; readonly file: number }

const [port, folder] = [Number(process.argv[2]), process.argv[3]!]
const pages = new Map<string, Page>()
for (const set of readdirSync(folder).filter((name) => /^\d+$/.test(name))) {
  const names = readdirSync(join(folder, set))
  for (const isGzip of [true, false]) {
    const own = names.filter((name) => name.endsWith('.gz') === isGzip)
    const sizes = own.map((name) => statSync(join(folder, set, name)).size)
    const isKept = sizes.reduce((sum, size) => sum + size, 0) <= keptBytes
    for (const [index, name] of own.entries()) {
      const path = join(folder, set, name)
      pages.set(`/${set}/${name}`, {
        length: sizes[index]!,
        kept: isKept ? readFileSync(path) : undefined,
        file: isKept ? -1 : openSync(path, 'r'),
      })
    }
  }
}
const longest = Math.max(...[...pages.values()].map(({ length }) => length))
const free: Buffer[] = []

const server = createServer({ highWaterMark }, (socket) => {
  socket.on('error', () => socket.destroy())
  socket.on('data', (packet) => {
    const text = packet.toString('latin1')
    const encoding = text.includes('\r\nAccept-Encoding: gzip\r\n') ? 'content-encoding: gzip\r\n' : ''
    const path = text.slice(4, text.indexOf(' ', 4)) + (encoding === '' ? '' : '.gz')
    const page = pages.get(path)
    if (!page) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
      return
    }
    socket.cork()
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${encoding}content-length: ${page.length}\r\n\r\n`,
      'latin1',
    )
    if (page.kept) socket.write(page.kept)
    else {
      const room = free.pop() ?? Buffer.allocUnsafeSlow(longest)
      readSync(page.file, room, 0, page.length, 0)
      socket.write(room.subarray(0, page.length), () => free.push(room))
    }
    socket.uncork()
  })
})
server.listen(port, '127.0.0.1', () => console.log(JSON.stringify({ event: 'ready' })))
