// Where the processes of a cluster run find their servers: each of two sites reaches PostgreSQL and Redis through
// proxies of its own, which can be told to fail.
import { startSwallowingProxy } from '../../limiter/swallowing-proxy.ts'

type Proxy = Awaited<ReturnType<typeof startSwallowingProxy>>
type Mode = Parameters<Proxy['set']>[0]

export type Site = {
  readonly name: string
  readonly databaseUrl: string
  readonly setDatabase: (mode: Mode) => void
  readonly close: () => Promise<void>
}

/** `ports`: where the database's servers listen. */
export async function openSite(name: string, ports: readonly number[], database: string): Promise<Site> {
  const proxies = await Promise.all(ports.map((port) => startSwallowingProxy(port)))
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    name,
    databaseUrl: `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`,
    setDatabase: (mode) => {
      for (const proxy of proxies) proxy.set(mode)
    },
    close: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
