// The peer: the same two endpoints and filters as a good team would build them on Fastify and PostgreSQL, without an
// edition log. Keyset cursor, prepared statements, ancestors of CPV and NUTS codes in GIN-indexed arrays.
// Run: DATABASE_URL=… node bench/peers/fastify-postgres.ts PORT TOKEN
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Fastify from 'fastify'
import pg from 'pg'

const compress = promisify(gzip)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
const [port, token] = [Number(process.argv[2]), process.argv[3]]

type Query = { readonly [name: string]: string | undefined }
type Row = { readonly id: string; readonly last_modified: number; readonly body: string }

const stem = (code: string): string => code.slice(0, 2) + code.slice(2).replace(/0+$/, '')
const list = (text: string): string[] => text.split(',')

/** The statement for a query; the same filters give the same text, so that it is prepared once per connection. */
function statementOf(query: Query, limit: number): { text: string; values: unknown[] } {
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const conditions: string[] = []
  if (query.cpv) conditions.push(`cpv_stems && ${parameter(list(query.cpv).map(stem))}::text[]`)
  if (query.nuts) conditions.push(`nuts_stems && ${parameter(list(query.nuts))}::text[]`)
  if (query.procedure) conditions.push(`procedure = any(${parameter(list(query.procedure))}::text[])`)
  if (query.published_since) conditions.push(`published >= ${parameter(Date.parse(query.published_since))}`)
  if (query.updated_since) conditions.push(`last_modified >= ${parameter(Date.parse(query.updated_since))}`)
  if (query.deadline_after) conditions.push(`deadline > ${parameter(Date.parse(query.deadline_after))}`)
  if (query.value_min) conditions.push(`value_eur >= ${parameter(Number(query.value_min))}`)
  if (query.value_max) conditions.push(`value_eur <= ${parameter(Number(query.value_max))}`)
  if (!query.updated_since && query.archived !== 'true') conditions.push('not archived')
  if (query.cursor) {
    const [lastModified, id] = Buffer.from(query.cursor, 'base64url').toString().split('|')
    conditions.push(`(last_modified, id) > (${parameter(Number(lastModified))}, ${parameter(id)}::uuid)`)
  }
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  return {
    text: `select id, last_modified, body from tender ${where} order by last_modified, id limit ${parameter(limit + 1)}`,
    values,
  }
}

const names = new Map<string, string>()
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `q${names.size}`
    names.set(text, name)
  }
  return name
}

const app = Fastify()
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${token}`) return reply.code(401).send({ status: 401 })
})
app.addHook('onSend', async (request, reply, payload: string) => {
  if (!String(request.headers['accept-encoding'] ?? '').includes('gzip') || payload.length < 1024) return payload
  reply.header('content-encoding', 'gzip')
  return compress(payload)
})
app.get('/v1/tenders', async (request, reply) => {
  const query = request.query as Query
  const limit = Number(query.limit ?? 50)
  const { text, values } = statementOf(query, limit)
  const { rows } = await pool.query<Row>({ name: nameOf(text), text, values })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const cursor =
    rows.length > limit && last ? `"${Buffer.from(`${last.last_modified}|${last.id}`).toString('base64url')}"` : 'null'
  reply.type('application/json')
  return `{"data":[${page.map(({ body }) => body).join(',')}],"nextCursor":${cursor}}`
})
app.get('/v1/tenders/:id', async (request, reply) => {
  const { id } = request.params as { id: string }
  const { rows } = await pool.query<Row>({
    name: 'record',
    text: 'select body from tender where id = $1',
    values: [id],
  })
  if (!rows[0]) return reply.code(404).send({ status: 404 })
  reply.type('application/json')
  return rows[0].body
})
await app.listen({ host: '127.0.0.1', port })
console.log(JSON.stringify({ event: 'ready' }))
