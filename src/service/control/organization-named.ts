// The organization that a command names, by its name or id.
import { OperatorError } from '../../platform/errors.ts'
import type { Store } from '../../store/database/database.ts'
import { findOrganization, type Organization } from '../../store/people/organizations.ts'

export const noOrganization = (name: string) =>
  new OperatorError(
    'no-organization',
    `There is no organization "${name}"; \`tenderstock organization list\` shows them.`,
  )

/** Throws OperatorError when there is none. */
export async function organizationNamed(store: Pick<Store, 'db'>, name: string): Promise<Organization> {
  const organization = await findOrganization(store.db, name)
  if (!organization) throw noOrganization(name)
  return organization
}
