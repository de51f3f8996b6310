// The regional platforms of North Rhine-Westphalia, each with a zip of its notices in eForms-DE.
import { parseDoe } from '../../doe/parse-doe.ts'
import { type CardChannel, sourceOf } from '../../source.ts'

const files = { format: 'archive', members: /\.xml$/i } as const

/** The zip of one platform, read whole. `minute`: after five in the morning. */
const feed = (name: string, minute: number, host: string, id: string): CardChannel => ({
  name,
  timetable: `${minute} 5 * * *`,
  delivery: { kind: 'single', request: { url: `https://${host}/VMPSatellite/opendata?id=${id}` }, entries: files },
})

export const source = sourceOf({
  id: 'de-vergabe-nrw',
  title: 'Ausschreibungen Vergabemarktplatz NRW',
  publisher: 'Ministerium der Finanzen des Landes Nordrhein-Westfalen',
  homepage: 'https://www.vergabe.nrw.de/offene-daten',
  documentation: 'https://ckan.open.nrw.de/dataset/3d8c019e-60df-4734-81a5-c0f3ac652547',
  clients: [
    'https://github.com/CarltonBags/Palantino/blob/28a8a20b7207a0c7566387a63e5426c9a6294810/connectors/vergabe_nrw/connector.py',
    'https://github.com/Klito53/tiefbaux/blob/ea70c066e3da2f3dfe6b08ab952bee033d1c563f/backend/app/services/tender_crawler.py',
  ],
  license: {
    name: 'Datenlizenz Deutschland – Zero – Version 2.0',
    url: 'https://www.govdata.de/dl-de/zero-2-0',
  },
  channels: [
    feed('metropole-ruhr', 10, 'www.vergabe.metropoleruhr.de', '4985b1a5-d2e8-4611-a4c6-20694a130bb3'),
    feed('rheinland', 20, 'www.vmp-rheinland.de', '35eb26cf-9d6c-4780-903a-89059f382b03'),
    feed('koeln', 30, 'vergabe.stadt-koeln.de', 'f8f65333-9078-451c-8628-09376a7fbfcb'),
    {
      name: 'data-set',
      role: 'spare',
      timetable: '40 5 * * *',
      delivery: {
        kind: 'index',
        index: {
          url: 'https://ckan.open.nrw.de/api/3/action/package_show?id=3d8c019e-60df-4734-81a5-c0f3ac652547',
        },
        entries: { format: 'json', at: '/result/resources' },
        url: '/url',
        only: /\/opendata\?id=[\da-f]{8}-[\da-f-]{27}$/,
        sample: '/opendata?id=4985b1a5-d2e8-4611-a4c6-00000{key}',
        files,
      },
    },
  ],
  // so that a notice has the key that it has in the announcement service
  parse: parseDoe,
  politeness: { requestsPerMinute: 6, pauseMs: 5_000 },
  expects: { silentAfterDays: 5, shape: ['CustomizationID', 'NoticeTypeCode', 'ContractingParty'] },
  caveats: [
    'The data set has seven feeds; the addresses of three are known from public programs, which found zips of eForms there.',
    'The channel `data-set` reads all seven by the list of the data set; nobody has seen that list, so it runs by name only.',
    'Each answer is a whole zip; a notice that came before has the same bytes and is known already.',
    'The same notices, below the thresholds too, are in the announcement service (`doe`), and have the same keys here.',
  ],
})
