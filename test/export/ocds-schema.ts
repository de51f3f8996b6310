// The standard's own schema of OCDS 1.1, which is beside the repository.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import * as formats from 'ajv-formats'

const folder = join(import.meta.dirname, '../../../shared/ocds')

/** The faults of a release, in words; undefined without the schema. */
export const openOcdsSchema = () => openSchema('release-schema.json')

/** The faults of a release package. */
export const openOcdsPackageSchema = () => openSchema('release-package-schema.json')

function openSchema(name: string): ((content: unknown) => string) | undefined {
  if (!existsSync(folder)) {
    console.log('skipped: no schema of OCDS')
    return undefined
  }
  // draft 4 differs from what ajv knows in the name of `$id` alone, as far as these schemas go
  const read = (file: string) => {
    const {
      id,
      $schema: _,
      ...schema
    } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>
    return { ...schema, $id: String(id) }
  }
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true })
  formats.default.default(ajv)
  if (name !== 'release-schema.json') ajv.addSchema(read('release-schema.json'))
  const validate = ajv.compile(read(name))
  return (release) =>
    validate(release) ? '' : ajv.errorsText(validate.errors?.slice(0, 5)) + JSON.stringify(release).slice(0, 200)
}
