// The peer that compresses beforehand: one table in SQLite, each record stored as a gzip member, behind node:http. A
// page is an index walk and the members one after the other. A token check, no limit; pages only, no filters.
// Run: node bench/peers/sqlite-stored.ts PORT TOKEN FILE, a database that fillStored has made
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'

const [port, token, file] = [Number(process.argv[2]), process.argv[3], process.argv[4]!]
const db = new DatabaseSync(file, { readOnly: true })
db.exec('pragma mmap_size = 4000000000')

type Row = { readonly last_modified: number; readonly id: string; readonly gz: Uint8Array }
const select = db.prepare(
  'select last_modified, id, gz from tender where (last_modified, id) > (?, ?) order by last_modified, id limit ?',
)
const [head, comma] = [gzipSync('{"data":['), gzipSync(',')]

createServer((request, response) => {
  if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end()
  const { searchParams: query } = new URL(request.url!, 'http://127.0.0.1')
  const limit = Number(query.get('limit') ?? 50)
  const since = query.get('updated_since')
  const [lastModified, id] = query.get('cursor')
    ? Buffer.from(query.get('cursor')!, 'base64url').toString().split('|')
    : [since === null ? 0 : Date.parse(since), '']
  const rows = select.all(Number(lastModified), id!, limit + 1) as Row[]
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const cursor =
    rows.length > limit && last ? `"${Buffer.from(`${last.last_modified}|${last.id}`).toString('base64url')}"` : 'null'
  const body = Buffer.concat([
    head,
    ...page.flatMap(({ gz }, index) => (index === 0 ? [gz] : [comma, gz])),
    gzipSync(`],"nextCursor":${cursor}}`, { level: 1 }),
  ])
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'content-length': body.length,
  })
  return response.end(body)
}).listen(port, '127.0.0.1', () => console.log(JSON.stringify({ event: 'ready' })))
