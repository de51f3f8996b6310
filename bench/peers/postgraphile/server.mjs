// PostGraphile over the peers' table, as its documentation sets it up for production. Run: DATABASE_URL=… node server.mjs PORT
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, poolConfig: { max: 8 } })],
  grafserv: { graphiql: false, watch: false },
}
const pgl = postgraphile(preset)
const serv = pgl.createServ(grafserv)
const server = createServer()
await serv.addTo(server)
await serv.ready?.()
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log(JSON.stringify({ event: 'ready' })))
