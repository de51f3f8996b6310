// The standard's own schema of OCDS 1.1, which is beside the repository.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import * as formats from 'ajv-formats'

const path = join(import.meta.dirname, '../../../shared/ocds/release-schema.json')

/** The faults of a release, in words; undefined without the schema. */
export function openOcdsSchema(): ((release: unknown) => string) | undefined {
  if (!existsSync(path)) {
    console.log('skipped: no schema of OCDS')
    return undefined
  }
  // draft 4 differs from what ajv knows in the name of `$id` alone, as far as this schema goes
  const { id: _, $schema: __, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true })
  formats.default.default(ajv)
  const validate = ajv.compile(schema)
  return (release) =>
    validate(release) ? '' : ajv.errorsText(validate.errors?.slice(0, 5)) + JSON.stringify(release).slice(0, 200)
}
