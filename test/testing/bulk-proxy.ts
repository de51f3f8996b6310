// A proxy before a service that passes requests on, and changes the answers of files of editions.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What becomes of the bytes of a file: other ones, a status in their place, or their first half. */
type FileFault = (bytes: Buffer, path: string) => Buffer | number | 'cut'

/** Each file takes the next of `faults`; `files` has what was asked for. It ends with the test. */
export async function openBulkProxy(to: string) {
  const faults: FileFault[] = []
  const files: { readonly range: string | undefined; readonly authorization: string | undefined }[] = []
  const { port, pathname } = new URL(to)
  const server = createServer((incoming, answer) => {
    const path = incoming.url!
    const isFile = path.includes('/files/')
    const { range, authorization } = incoming.headers
    if (isFile) files.push({ range, authorization })
    const forward = request(
      { host: '127.0.0.1', port, path: pathname.slice(0, -1) + path, headers: incoming.headers },
      async (from) => {
        const blocks: Buffer[] = []
        for await (const block of from) blocks.push(block as Buffer)
        const bytes = Buffer.concat(blocks)
        const changed = (isFile ? faults.shift() : undefined)?.(bytes, path) ?? bytes
        if (typeof changed === 'number') return void answer.writeHead(changed, { 'retry-after': '1' }).end()
        answer.writeHead(from.statusCode!, from.headers)
        if (changed !== 'cut') return void answer.end(changed)
        answer.write(bytes.subarray(0, bytes.length >> 1))
        setTimeout(() => answer.destroy(), 20)
      },
    )
    forward.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { faults, files, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
