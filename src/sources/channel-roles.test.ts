// Which channel of a card is not read like the others: without its role, a backfill or a spare would be read each hour.
import { expect, test } from 'vitest'
import { loadSources } from './registry.ts'

const roles: { readonly [id: string]: { readonly [channel: string]: 'backfill' | 'control' | 'spare' } } = {
  'al-procurement-commission': { registry: 'spare' },
  'bg-eop': { closed: 'spare' },
  'ca-canadabuys': { new: 'spare' },
  'cl-chilecompra': { records: 'spare' },
  'cr-poder-judicial': { releases: 'spare' },
  'de-vergabe-nrw': { 'data-set': 'spare' },
  doe: { repair: 'control', monthly: 'backfill', tables: 'spare' },
  'ec-sercop': { processes: 'spare' },
  'es-placsp-1044': { years: 'backfill' },
  'es-placsp-643': { years: 'backfill' },
  'eu-ted-open-data': { days: 'control' },
  'fi-hilma': { index: 'spare' },
  'fr-boamp': { months: 'backfill' },
  'fr-decp-awards': { years: 'backfill' },
  'gb-contracts-finder': { records: 'spare' },
  'gb-find-a-tender': { past: 'backfill' },
  'ge-state-procurement': { pages: 'spare' },
  'hn-contrataciones-abiertas': { releases: 'spare', records: 'spare' },
  'hn-sefin': { years: 'backfill' },
  'hr-eojn-contracts': { registry: 'spare' },
  'id-opentender': { registry: 'spare' },
  'ie-etenders': { 'data-set': 'backfill' },
  'ke-ppra': { years: 'spare' },
  'lr-ppcc': { releases: 'spare' },
  'mk-esjn': { finished: 'backfill' },
  'mt-epps': { demonstration: 'spare' },
  'mw-maneps': { records: 'spare' },
  'mx-nuevo-leon-infraestructura': { records: 'spare' },
  'ng-nocopo': { registry: 'spare' },
  'ng-osun': { registry: 'spare' },
  'nl-tenderned': { newest: 'spare' },
  'pe-oece': { records: 'spare', months: 'backfill' },
  'pe-peru-compras': { months: 'spare' },
  'py-dncp': { records: 'spare' },
  'rw-umucyo': { months: 'backfill' },
  ted: { search: 'control', monthly: 'backfill' },
  'tz-nest': { records: 'spare', 'releases-api': 'spare', 'records-api': 'spare' },
  'ua-prozorro': { history: 'backfill' },
  'uy-arce': { years: 'backfill' },
  'zz-world-bank': { all: 'spare' },
}

test('each channel has its role; all others are read first', async () => {
  const found = [...(await loadSources()).values()].flatMap(({ id, channels }) => {
    const own = channels.flatMap(({ name, role }) => (role === undefined ? [] : [[name, role]]))
    return own.length === 0 ? [] : [[id, Object.fromEntries(own)]]
  })
  expect(Object.fromEntries(found)).toEqual(roles)
})
