// The guides of the site: their group, order and address.
import type { PageRequest } from '../frame/page.ts'

/** Keys of the headings in the navigation (docs/docs-texts.ts). */
export const groupNames = [
  'start',
  'reference',
  'concept',
  'sync',
  'hits',
  'sources',
  'operations',
  'decisions',
  'contributing',
] as const
export type GroupName = (typeof groupNames)[number]

/** How the product is made: for whoever runs it, and not for customers. Pages that a guide cites open for everybody. */
const groupsOfMakers = new Set<GroupName>(['decisions', 'contributing'])

/** Whose language a page has, and whose groups it lists. */
export type DocReader = Pick<PageRequest, 'language' | 'viewer'>

export const groupsFor = ({ viewer }: DocReader): readonly GroupName[] =>
  groupNames.filter((group) => viewer?.person.isOperator === true || !groupsOfMakers.has(group))

/** A file of the repository, and its name in the navigation if its heading is too long. */
export type ListedGuide = readonly [file: string, shortTitle?: string]

/** By group, in the order of reading. Decisions are found by their files. */
export const listedGuides: { readonly [group in GroupName]: readonly ListedGuide[] } = {
  start: [
    ['docs/index.md', 'By role'],
    ['docs/quick-start.md'],
    ['docs/ways-to-the-data.md'],
    ['docs/cookbook.md', 'Cookbook of filters'],
    ['docs/assistants.md'],
    ['docs/glossary.md'],
  ],
  reference: [['docs/versioning.md'], ['docs/licenses.md', 'Licenses and archive'], ['docs/open-data.md']],
  concept: [
    ['docs/specification.md'],
    ['docs/consolidation.md', 'Consolidation'],
    ['docs/matching.md', 'Matching'],
    ['docs/estimates.md'],
  ],
  sync: [
    ['docs/sync/guide.md'],
    ['docs/sync/tender-sync.md'],
    ['docs/sync/bulk.md', 'A first load from files'],
    ['docs/sync/python.md'],
    ['docs/sync/sinks/postgres.md'],
    ['docs/sync/sinks/sqlite.md'],
    ['docs/sync/sinks/ndjson.md'],
    ['docs/sync/sinks/csv.md'],
    ['docs/sync/sinks/parquet.md'],
    ['docs/sync/sinks/crm.md', 'CRM'],
    ['docs/sync/sinks/exec.md'],
    ['client/README.md', 'The client'],
    ['examples/README.md'],
    ['examples/node-script/README.md', 'Example: a script'],
    ['examples/postgres/README.md', 'Example: PostgreSQL'],
    ['examples/powerbi-excel/README.md', 'Example: Power BI, Excel'],
    ['examples/hubspot/README.md', 'Example: HubSpot'],
    ['integrations/README.md'],
    ['integrations/airbyte/README.md'],
    ['integrations/singer/README.md'],
    ['integrations/dlt/README.md'],
    ['integrations/tables/README.md'],
    ['docs/sync/proof.md', 'Why nothing is lost'],
    ['docs/sync/digest.md', 'The digest of a copy'],
    ['docs/sync/simulation.md'],
  ],
  hits: [
    ['docs/hits/finding.md'],
    ['docs/hits/concepts.md', 'When a hit is created'],
    ['docs/hits/matching.md', 'What a search matches'],
    ['docs/hits/score.md'],
    ['docs/hits/webhooks.md'],
    ['examples/webhooks/README.md'],
    ['docs/hits/receiver.md', 'Hits in your database'],
    ['docs/hits/digests.md'],
  ],
  sources: [
    ['docs/sources/README.md', 'All sources'],
    ['docs/sources/adding-a-source.md'],
    ['docs/sources/phases.md'],
    ['docs/simulator.md', 'The simulator'],
  ],
  operations: [
    ['docs/install.md'],
    ['docs/operations.md'],
    ['docs/command-line.md'],
    ['docs/commands.md'],
    ['docs/error-codes.md'],
    ['docs/settings.md'],
    ['docs/backup.md'],
    ['docs/monitoring.md'],
    ['docs/metrics.md'],
    ['docs/console.md'],
    ['docs/upgrades.md'],
    ['docs/privacy.md', 'Privacy'],
    ['docs/load-balancers.md', 'Load balancers, restarts'],
    ['docs/editions-in-a-bucket.md'],
    ['docs/proxies/README.md'],
    ['docs/trial-clock.md'],
    ['docs/performance.md'],
    ['docs/benchmarks.md'],
    ['SECURITY.md'],
  ],
  decisions: [['docs/decisions/README.md', 'All decisions']],
  contributing: [['docs/contributing.md'], ['ARCHITECTURE.md']],
}

/** Folders that may hold guides; a file there that is not listed above is the last of the group. */
const groupOfFolder: readonly (readonly [folder: string, group: GroupName])[] = [
  ['docs/decisions/', 'decisions'],
  ['docs/sync/', 'sync'],
  ['docs/hits/', 'hits'],
  ['docs/sources/', 'sources'],
  ['docs/', 'concept'],
]

/** The group of a file that is not listed. */
export const groupOf = (file: string): GroupName =>
  groupOfFolder.find(([folder]) => file.startsWith(folder))?.[1] ?? 'contributing'

/** Files that have their own page in the console. */
export const pagesOfFiles: { readonly [file: string]: string } = {
  'README.md': '/docs',
  'docs/fields.md': '/docs/fields',
  'CHANGELOG.md': '/changelog',
  'contract/openapi.json': '/openapi.json',
  'contract/events.schema.json': '/events.schema.json',
}

/** `docs/sync/guide.md` is at `/docs/sync/guide`, a README at its folder. */
export function addressOfGuide(file: string): string {
  const path = file.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '')
  return `/docs/${/^[A-Z]+$/.test(path) ? path.toLowerCase() : path}`
}
