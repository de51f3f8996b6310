// The manifest of a whole edition: which files hold it, and links to them.
import { Type } from 'typebox'
import { toInstant } from '../../domain/time.ts'
import { type BulkState, bulkName, linkLifeMs } from '../../edition/bulk/bulk-state.ts'
import type { Clock } from '../../platform/clock.ts'
import type { BulkLinks } from './bulk-links.ts'

const hash = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description })
const instant = (description: string) => Type.String({ format: 'date-time', description })

/** Open: members, formats, tables and parts may be added. */
export const bulkManifestSchema = Type.Object(
  {
    schema: Type.Literal(1),
    edition: Type.Integer({ minimum: 1, description: 'The edition that the files are, applied in their order.' }),
    publishedAt: instant('When it was published.'),
    lastModified: instant('The largest `lastModified` of the records: the state of a copy after it loaded the files.'),
    records: Type.Integer({ minimum: 0, description: 'Records of the edition, archived ones too.' }),
    digest: Type.Optional(
      Type.Object(
        { open: hash('Over records that are not archived.'), all: hash('Over all records.') },
        { description: 'Digest of the edition, as in `X-Stock-Digest`.' },
      ),
    ),
    linksUntil: instant('When the links end.'),
    files: Type.Array(
      Type.Object({
        url: Type.String({
          format: 'uri-reference',
          description:
            'Where the file is, relative to the manifest. It needs no token: whoever has it can load the file.',
        }),
        sha256: hash('SHA-256 of the file.'),
        bytes: Type.Integer({ minimum: 1 }),
        rows: Type.Integer({ minimum: 1, description: 'Lines, or rows of the table.' }),
        part: Type.String({ description: '`snapshot`, or `delta`: what changed since the snapshot.' }),
        format: Type.String({
          description:
            '`ndjson`: records, a line each, as gzip; `heads`: the head of each, in the same form; `parquet`: a table.',
        }),
        table: Type.String({ description: '`tenders`, or `lots`.' }),
      }),
      { description: 'Those of a format hold the records in the order of the list.' },
    ),
  },
  { $id: 'BulkManifest', title: 'BulkManifest', description: 'The files of a whole edition.' },
)

/** The schema as committed. */
export const bulkManifestText = `${JSON.stringify(bulkManifestSchema, null, 2)}\n`

/** JSON text of the manifest, with links for the holder of a token. */
export function bulkManifest(
  { edition, publishedAt, lastModified, records, checksum, files }: BulkState,
  { links, clock, tokenId }: { readonly links: BulkLinks; readonly clock: Clock; readonly tokenId: string },
): string {
  const [, open, all] = /^open=(\w+), all=(\w+)$/.exec(checksum) ?? []
  return JSON.stringify({
    schema: 1,
    edition,
    publishedAt: toInstant(publishedAt),
    lastModified: toInstant(lastModified),
    records,
    ...(open !== undefined && all !== undefined && { digest: { open, all } }),
    linksUntil: toInstant(clock() + linkLifeMs),
    files: files.map((file) => ({
      url: `../files/${bulkName(file)}?link=${links.seal(file.sha256, tokenId)}`,
      ...file,
    })),
  })
}
