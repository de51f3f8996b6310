// TED Open Data: the graph of the EU's notices, asked by SPARQL for the notices of a day.
import { sparql } from '../../deliver/sparql.ts'
import { sourceOf } from '../../source.ts'
import { parseTedOpenData } from './parse-ted-open-data.ts'

const query = `PREFIX epo: <http://data.europa.eu/a4g/ontology#>
PREFIX dct: <http://purl.org/dc/terms/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
SELECT DISTINCT ?notice ?number ?date ?form ?title WHERE {
  FILTER (?date = "{from:yyyy-MM-dd}"^^xsd:date)
  GRAPH ?graph {
    ?notice a epo:Notice ; epo:hasPublicationDate ?date ; epo:hasNoticePublicationNumber ?number .
    OPTIONAL { ?notice epo:hasFormType ?form }
    OPTIONAL { ?notice epo:refersToProcedure ?procedure . ?procedure dct:title ?title }
  }
} ORDER BY ?number ?title`

export const source = sourceOf({
  id: 'eu-ted-open-data',
  title: 'TED Open Data',
  publisher: 'Publications Office of the European Union',
  homepage: 'https://data.ted.europa.eu',
  documentation: 'https://docs.ted.europa.eu/ODS/latest/index.html',
  clients: [
    'https://github.com/OP-TED/ted-open-data-notebooks/blob/800bc42e1bc4c2398ce5d97490f820b720f42aa7/apps/01-cellar-daily.py',
    'https://github.com/mayeulpeltier-pixel/radar-amarante/blob/307f8c936a455f25af8a92a29b819184a62e5ec2/sparql_titulaires.py',
  ],
  license: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  zone: 'Europe/Luxembourg',
  channels: [
    {
      name: 'days',
      role: 'control',
      slots: { kind: 'day', since: '2024-01-01', delayMs: 2 * 86_400_000 },
      timetable: '30 12 * * *',
      delivery: sparql({ endpoint: 'https://publications.europa.eu/webapi/rdf/sparql', query }),
    },
  ],
  parse: parseTedOpenData,
  politeness: { requestsPerMinute: 6, pauseMs: 5000 },
  expects: { perDay: [0, 6000], silentAfterDays: 30, shape: ['/head/vars', '/results/bindings'] },
  caveats: [
    'The graph follows the packages by some days and holds notices in eForms only.',
    'A notice with titles in several languages has a row for each.',
    'Large answers are cut by the service without saying so, so they are requested in pages.',
  ],
  offBecause: 'the same notices as ted, with less in them; a second count where the packages are doubted',
})
