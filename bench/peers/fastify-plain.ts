// The peer for records: the minimum that Fastify does for the same bytes. A map from path to buffers, fixed headers;
// no token, no limit, no query. Run: node bench/peers/fastify-plain.ts PORT FOLDER, files NAME and NAME.gz
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'

const [port, folder] = [Number(process.argv[2]), process.argv[3]!]
const bodies = new Map(
  readdirSync(folder)
    .filter((name) => !name.endsWith('.gz'))
    .map((name) => [name, { plain: readFileSync(join(folder, name)), gzip: readFileSync(join(folder, `${name}.gz`)) }]),
)

const app = Fastify()
app.get('/v1/tenders/:id', (request, reply) => {
  const body = bodies.get((request.params as { id: string }).id)
  if (!body) return reply.code(404).send()
  reply.header('content-type', 'application/json; charset=utf-8').header('vary', 'Accept-Encoding')
  if (request.headers['accept-encoding'] !== 'gzip') return reply.send(body.plain)
  return reply.header('content-encoding', 'gzip').send(body.gzip)
})
await app.listen({ host: '127.0.0.1', port })
console.log(JSON.stringify({ event: 'ready' }))
