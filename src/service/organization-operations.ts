// The commands about organizations: who may use the API, how much, and until when.
import { OperatorError, wrongUse } from '../platform/errors.ts'
import { bump } from '../store/change-signal.ts'
import { endContractBy, listCustomers } from '../store/customers.ts'
import { inTransaction } from '../store/database.ts'
import {
  changeOrganization,
  createOrganization,
  listOrganizations,
  type Organization,
  renameOrganization,
  trialOrganization,
} from '../store/organizations.ts'
import type { EventOf } from './command-event.ts'
import { actorOf, noteCommand } from './command-note.ts'
import type { Operation, Operations } from './operation-context.ts'
import { organizationNamed } from './organization-named.ts'

/** `organization create` */
export const createOrganizationNow: Operation = async (context, { options, operands }, emit) => {
  const { store, clock, random } = context
  const wanted = { name: operands[0]!, requestsPerMinute: Number(options['requests-per-minute']) }
  const outcome = await inTransaction(store, async (trx) => {
    const made = await createOrganization(trx, wanted, { now: clock(), random })
    const { organizationId, name, requestsPerMinute } = made.organization
    const detail = { requestsPerMinute }
    const entry = { action: 'organization.create', subject: name, organizationId, detail } as const
    if (made.kind === 'created') {
      await noteCommand(trx, context, entry)
      // the console knows it by its name from now on
      await bump(trx, 'console')
    }
    return made
  })
  if (outcome.kind === 'nameTaken') throw nameTaken(operands[0]!)
  emit(organizationEvent(outcome.organization))
  return 0
}

const nameTaken = (name: string) => new OperatorError(`An organization "${name}" already exists; choose another name.`)

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

/** `organization update` */
export const updateOrganization: Operation = async (context, { options, operands }, emit) => {
  const { store } = context
  const organization = await organizationNamed(store, operands[0]!)
  const { 'requests-per-minute': requestsPerMinute, access } = options
  if (requestsPerMinute === undefined && access === undefined) {
    throw wrongUse('Nothing to change: pass --requests-per-minute N or --access on|off.')
  }
  const { organizationId, name } = organization
  const change = {
    ...(requestsPerMinute !== undefined && { requestsPerMinute: Number(requestsPerMinute) }),
    ...(access !== undefined && { hasApiAccess: access === 'on' }),
  }
  await inTransaction(store, async (trx) => {
    await changeOrganization({ db: trx }, organizationId, change)
    await noteCommand(trx, context, { action: 'organization.update', subject: name, organizationId, detail: change })
  })
  emit(organizationEvent(await organizationNamed(store, organizationId)))
  return 0
}

/** `organization rename` */
export const renameOrganizationNow: Operation = async (context, { operands }, emit) => {
  const { store } = context
  const { organizationId, name } = await organizationNamed(store, operands[0]!)
  // the samples find their organization by its name
  if (name === trialOrganization)
    throw new OperatorError(`The organization "${name}" belongs to the samples and keeps its name; create your own.`)
  const newName = operands[1]!
  const outcome = await inTransaction(store, async (trx) => {
    const renamed = await renameOrganization(trx, organizationId, newName)
    const detail = { from: name }
    if (renamed === 'renamed')
      await noteCommand(trx, context, { action: 'organization.rename', subject: newName, organizationId, detail })
    return renamed
  })
  if (outcome === 'nameTaken') throw nameTaken(newName)
  emit(organizationEvent(await organizationNamed(store, organizationId)))
  return 0
}

/** `organization end`: ends the contract now, like the button in the console; without a contract, closes the access. */
export const endOrganization: Operation = async (context, { operands }, emit) => {
  const { store, clock } = context
  const { organizationId, name, hasApiAccess } = await organizationNamed(store, operands[0]!)
  const hadContract = await inTransaction(store, async (trx) => {
    if (await endContractBy(trx, actorOf(context), organizationId, clock())) return true
    if (!hasApiAccess) throw new OperatorError(`"${name}" has no current contract, and its access is closed.`)
    const change = { hasApiAccess: false }
    await changeOrganization({ db: trx }, organizationId, change)
    await noteCommand(trx, context, { action: 'organization.update', subject: name, organizationId, detail: change })
    return false
  })
  emit({ event: 'organizationEnded', organizationId, name, hadContract })
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
  'organization update': updateOrganization,
  'organization rename': renameOrganizationNow,
  'organization end': endOrganization,
} satisfies Operations
