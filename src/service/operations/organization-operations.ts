// The commands about organizations: who may use the API, how much, and until when.
import { addOrganization, editOrganization, endAccess, renameOrganization } from '../../actions/organizations.ts'
import { OperatorError } from '../../platform/errors.ts'
import { inTransaction } from '../../store/database/database.ts'
import { listCustomers } from '../../store/people/customers.ts'
import { listOrganizations, type Organization } from '../../store/people/organizations.ts'
import { listMonthUse } from '../../store/screens/month-use.ts'
import { actingNow, actingOf, type Operation, type Operations } from '../control/operation-context.ts'
import { noOrganization, organizationNamed } from '../control/organization-named.ts'
import type { EventOf } from '../events/command-event.ts'

/** `organization create` */
export const createOrganizationNow: Operation = async (context, { options, operands }, emit) => {
  const wanted = { name: operands[0]!, requestsPerMinute: Number(options['requests-per-minute']) }
  const outcome = await inTransaction(context.store, (trx) => addOrganization(trx, actingOf(context), wanted))
  if (outcome.kind === 'nameTaken') throw nameTaken(operands[0]!)
  emit(organizationEvent(outcome.organization))
  return 0
}

const nameTaken = (name: string) =>
  new OperatorError('already-exists', `An organization "${name}" already exists; choose another name.`)

/** `organization list` */
export const listOrganizationsNow: Operation = async ({ store }, _request, emit) => {
  const organizations = await listOrganizations(store.db)
  if (organizations.length === 0)
    emit({ event: 'none', message: 'There is no organization yet: tenderstock organization create NAME' })
  for (const organization of organizations) emit(organizationEvent(organization))
  return 0
}

/** `organization show`: what operators see of it in the console. */
export const showOrganization: Operation = async ({ store, clock }, { operands }, emit) => {
  const { organizationId } = await organizationNamed(store, operands[0]!)
  for (const customer of await listCustomers(store.db, clock(), organizationId))
    emit({ event: 'customer', ...customer })
  return 0
}

/** `organization use`: of all, for invoices. */
const showUse: Operation = async ({ store, clock }, _request, emit) => {
  emit({ event: 'organizationUse', months: await listMonthUse(store.db, clock()) })
  return 0
}

/** `organization update` */
export const updateOrganization: Operation = async (context, { options, operands }, emit) => {
  const { store } = context
  const { organizationId, name } = await organizationNamed(store, operands[0]!)
  const { 'requests-per-minute': requestsPerMinute, access, bulk } = options
  if (requestsPerMinute === undefined && access === undefined && bulk === undefined) {
    throw new OperatorError(
      'nothing-to-change',
      'Nothing to change: pass --requests-per-minute N, --access on|off or --bulk on|off.',
    )
  }
  const change = {
    ...(requestsPerMinute !== undefined && { requestsPerMinute: Number(requestsPerMinute) }),
    ...(access !== undefined && { hasApiAccess: access === 'on' }),
    ...(bulk !== undefined && { hasBulkFiles: bulk === 'on' }),
  }
  const outcome = await inTransaction(store, (trx) => editOrganization(trx, actingNow(context), organizationId, change))
  if (outcome.kind === 'gone') throw noOrganization(name)
  emit(organizationEvent(outcome.organization))
  return 0
}

/** `organization rename` */
export const renameOrganizationNow: Operation = async (context, { operands }, emit) => {
  const { store } = context
  const { organizationId, name } = await organizationNamed(store, operands[0]!)
  const newName = operands[1]!
  const outcome = await inTransaction(store, (trx) =>
    renameOrganization(trx, actingNow(context), organizationId, newName),
  )
  switch (outcome.kind) {
    case 'gone':
      throw noOrganization(name)
    case 'kept':
      throw new OperatorError(
        'sample-organization',
        `The organization "${name}" belongs to the samples and keeps its name; create your own.`,
      )
    case 'nameTaken':
      throw nameTaken(newName)
    case 'renamed':
    case 'unchanged':
      emit(organizationEvent(outcome.organization))
      return 0
  }
}

/** `organization end`: ends the contract now, like the button in the console; without a contract, closes the access. */
export const endOrganization: Operation = async (context, { operands }, emit) => {
  const { store } = context
  const { organizationId, name } = await organizationNamed(store, operands[0]!)
  const { kind } = await inTransaction(store, (trx) => endAccess(trx, actingNow(context), organizationId))
  if (kind === 'gone') throw noOrganization(name)
  if (kind === 'notOpen')
    throw new OperatorError('nothing-to-do', `"${name}" has no current contract, and its access is closed.`)
  emit({ event: 'organizationEnded', organizationId, name, hadContract: kind === 'contractEnded' })
  return 0
}

const organizationEvent = (organization: Organization): EventOf<'organization'> => ({
  event: 'organization',
  ...organization,
})

export const operations = {
  'organization create': createOrganizationNow,
  'organization list': listOrganizationsNow,
  'organization show': showOrganization,
  'organization use': showUse,
  'organization update': updateOrganization,
  'organization rename': renameOrganizationNow,
  'organization end': endOrganization,
} satisfies Operations
