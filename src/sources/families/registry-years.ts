// Copies of OCDS in the data registry of the Open Contracting Partnership, for portals that may be out of reach.
import type { Channel } from '../source.ts'

/**
 * The years of a publication in the registry: compiled releases, one a line. The registry makes them again about once a
 * month, while it reaches the portal itself; a year without a file is empty.
 */
export function registryYears(publication: number, since: string): Channel {
  return {
    name: 'registry',
    role: 'spare',
    slots: { kind: 'year', since, rereadDays: [30, 180], isOpenRead: true },
    delivery: {
      kind: 'single',
      request: {
        url: `https://data.open-contracting.org/en/publication/${publication}/download?name={from:yyyy}.jsonl.gz`,
      },
      entries: { format: 'archive', inside: { format: 'json-lines' } },
      notFound: 'empty',
    },
  }
}
