// A real Prometheus reads a real service: each expression of dashboard and alerts has a sample, and a database that
// goes away is an alert that a real Alertmanager delivers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'
import { openDoor } from './door.ts'
import { startService } from './watched-process.ts'
import { shippedRules, startWatching } from './watching-prometheus.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana/tenderstock.json'), 'utf8')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
}

/** Without a sample while all is well: these series exist only in a fault. */
const quietRules = new Set([
  'TenderstockNoPublisher',
  'TenderstockSourceAlarm',
  'TenderstockBackupOld',
  'TenderstockBackupNotRestored',
])

test.runIf(testDatabaseUrl !== undefined)(
  'Prometheus has a sample for each expression, and Alertmanager delivers the alert for a lost database',
  async () => {
    await using database = await openEmptyDatabase()
    const url = new URL(database.url)
    await using door = await openDoor({ host: url.hostname, port: Number(url.port || 5432) })
    url.host = `127.0.0.1:${door.port}`
    await using service = await startService(['start', '--source', 'no-doffin'], { env: { DATABASE_URL: url.href } })

    // the rules do not wait
    const { watch, query, delivered } = await startWatching('0s')
    watch([service.ready.metrics])
    const until = async (what: string, isSo: () => Promise<boolean> | boolean) => {
      while (!(await isSo())) await delay(250)
      expect(what).toBeTruthy()
    }
    const expressions = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      // with `bool`, a comparison that does not hold has a sample too
      ...shippedRules
        .filter(({ alert }) => !quietRules.has(alert))
        .map(({ expr }) => expr.replace(/ (==|>=|>|<) /g, ' $1 bool ')),
    ]
    expect(expressions.length).toBeGreaterThan(60)
    await fetch(`${service.ready.api}/v1/tenders`)
    for (const expression of expressions) await until(expression, async () => (await query(expression)).length > 0)

    const firing = async () =>
      (await query('ALERTS{alertname="TenderstockDatabaseDown",alertstate="firing"}')).length > 0
    expect(await firing()).toBe(false)
    door.shut()
    await until('it fires', firing)
    await until('it is delivered', () => delivered.has('TenderstockDatabaseDown firing'))
    // all other metrics are still there
    const text = await service.scrape()
    expect(text).toMatch(/^tenderstock_database_up 0$/m)
    expect(text).toMatch(/^tenderstock_edition_number 1$/m)
    expect(text).toMatch(/^tenderstock_stock_edition_number 1$/m)
    door.open()
    await until('it is resolved', async () => !(await firing()))
  },
  600_000,
)
