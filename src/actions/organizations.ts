// Changes of organizations: who may use the API, how much, and until when. Each runs in the transaction of its caller,
// and leaves one entry of the audit log if it changed something. Locks are taken in one order: contract, organization.
import { bump } from '../store/database/change-signal.ts'
import type { Executor } from '../store/database/database.ts'
import {
  type Contract,
  type ContractTerms,
  endContract,
  lockContract,
  putContract,
  takeContractChanges,
} from '../store/people/contracts.ts'
import {
  type AccessRights,
  changeOrganization,
  createOrganization,
  lockOrganization,
  type Organization,
  type OrganizationCreation,
  renameOrganization as rename,
  trialOrganization,
} from '../store/people/organizations.ts'
import { type Acting, type ActingNow, record, serviceActor, versionOf } from './acting.ts'
import { inviteMember } from './members.ts'

/** `gone`: there is no such organization. */
type Gone = { readonly kind: 'gone' }

export async function addOrganization(
  trx: Executor,
  acting: Acting,
  wanted: { readonly name: string; readonly requestsPerMinute: number },
): Promise<OrganizationCreation> {
  const creation = await createWith(trx, acting, wanted)
  // the console knows it by its name from now on
  if (creation.kind === 'created') await bump(trx, 'console')
  return creation
}

async function createWith(
  trx: Executor,
  acting: Acting,
  wanted: Pick<Organization, 'name' | 'requestsPerMinute'> & Partial<AccessRights>,
): Promise<OrganizationCreation> {
  const creation = await createOrganization(trx, wanted, acting)
  if (creation.kind !== 'created') return creation
  const { organizationId, name, requestsPerMinute } = creation.organization
  const detail = { requestsPerMinute }
  await record(trx, acting, { action: 'organization.create', subject: name, organizationId, detail })
  return creation
}

export type OrganizationEdit =
  | { readonly kind: 'edited'; readonly organization: Organization }
  | { readonly kind: 'unchanged'; readonly organization: Organization }
  | Gone

/** Sets the limit, the access or the right to files. Absent members stay. */
export async function editOrganization(
  trx: Executor,
  acting: ActingNow,
  organizationId: string,
  change: Partial<AccessRights>,
): Promise<OrganizationEdit> {
  const before = await lockOrganization(trx, organizationId)
  if (!before) return { kind: 'gone' }
  const { hasApiAccess, requestsPerMinute, hasBulkFiles } = { ...before, ...change }
  const detail = {
    ...(requestsPerMinute !== before.requestsPerMinute && { requestsPerMinute }),
    ...(hasApiAccess !== before.hasApiAccess && { hasApiAccess }),
    ...(hasBulkFiles !== before.hasBulkFiles && { hasBulkFiles }),
  }
  if (Object.keys(detail).length === 0) return { kind: 'unchanged', organization: before }
  await changeOrganization({ db: trx }, organizationId, detail)
  await record(trx, acting, { action: 'organization.update', subject: before.name, organizationId, detail })
  return { kind: 'edited', organization: { ...before, ...detail } }
}

/** `kept`: the samples find their organization by its name. */
export type OrganizationRenaming =
  | { readonly kind: 'renamed'; readonly organization: Organization }
  | { readonly kind: 'unchanged'; readonly organization: Organization }
  | { readonly kind: 'nameTaken' }
  | { readonly kind: 'kept' }
  | Gone

export async function renameOrganization(
  trx: Executor,
  acting: ActingNow,
  organizationId: string,
  name: string,
): Promise<OrganizationRenaming> {
  const before = await lockOrganization(trx, organizationId)
  if (!before) return { kind: 'gone' }
  if (before.name === trialOrganization) return { kind: 'kept' }
  if (before.name === name) return { kind: 'unchanged', organization: before }
  if ((await rename(trx, organizationId, name)) === 'nameTaken') return { kind: 'nameTaken' }
  const detail = { from: before.name }
  await record(trx, acting, { action: 'organization.rename', subject: name, organizationId, detail })
  return { kind: 'renamed', organization: { ...before, name } }
}

/** What was agreed. Times in epoch milliseconds. */
export type AccessTerms = Pick<ContractTerms, 'startsAt' | 'endsAt' | 'note'> &
  Pick<Organization, 'requestsPerMinute' | 'hasBulkFiles'>

/** Tells two states of what was agreed apart; null stands for a contract that was never set up. */
export const accessVersion = (
  { hasApiAccess, requestsPerMinute, hasBulkFiles }: AccessRights,
  contract: { readonly [name in 'startsAt' | 'endsAt' | 'endedAt']?: number | null | undefined } & {
    readonly note?: string | null
  } = {},
): string => {
  const { startsAt = null, endsAt = null, endedAt = null, note = null } = contract
  return versionOf([hasApiAccess, requestsPerMinute, hasBulkFiles, startsAt, endsAt, endedAt, note])
}

/** `stale`: somebody changed the contract, the limit or the access since `seen` was read. */
export type AccessSetup =
  | { readonly kind: 'setUp' }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'stale' }
  | Gone

/**
 * Sets up access after the contract, or replaces its terms; an ended contract is in force again. `seen` is the version
 * that whoever acts had before them.
 */
export async function setUpAccess(
  trx: Executor,
  acting: ActingNow,
  {
    organizationId,
    terms,
    seen,
  }: { readonly organizationId: string; readonly terms: AccessTerms; readonly seen: string },
): Promise<AccessSetup> {
  const contract = await lockContract(trx, organizationId)
  const organization = await lockOrganization(trx, organizationId)
  if (!organization) return { kind: 'gone' }
  if (accessVersion(organization, contract) !== seen) return { kind: 'stale' }
  if (contract && isInForce(contract, organization, terms, acting.now)) return { kind: 'unchanged' }
  await putAccess(trx, acting, organizationId, terms)
  return { kind: 'setUp' }
}

/** Whether these terms are what is agreed already, and the access is as they say. */
const isInForce = (contract: Contract, organization: Organization, terms: AccessTerms, now: number): boolean =>
  contract.endedAt === undefined &&
  organization.hasApiAccess === contract.startsAt <= now &&
  organization.requestsPerMinute === terms.requestsPerMinute &&
  organization.hasBulkFiles === terms.hasBulkFiles &&
  (['startsAt', 'endsAt', 'note'] as const).every((each) => contract[each] === terms[each])

async function putAccess(
  trx: Executor,
  acting: ActingNow,
  organizationId: string,
  { requestsPerMinute, hasBulkFiles, ...terms }: AccessTerms,
): Promise<void> {
  const { startsAt, endsAt = null, note } = terms
  await changeOrganization({ db: trx }, organizationId, { requestsPerMinute, hasBulkFiles })
  await putContract(trx, { organizationId, ...terms, setUpBy: acting.actor }, acting.now)
  const detail = { startsAt, endsAt, requestsPerMinute, hasBulkFiles, note }
  await record(trx, acting, { action: 'contract.set-up', organizationId, subject: organizationId, detail })
}

export type CustomerSetup =
  | { readonly kind: 'setUp'; readonly organizationId: string; readonly invitationId: string }
  | { readonly kind: 'nameTaken' }

/** A new organization with its contract and the invitation of its first Owner; each leaves its entry. */
export async function setUpCustomer(
  trx: Executor,
  acting: Acting,
  { name, owner, terms }: { readonly name: string; readonly owner: string; readonly terms: AccessTerms },
): Promise<CustomerSetup> {
  const { requestsPerMinute } = terms
  const creation = await createWith(trx, acting, { name, hasApiAccess: false, requestsPerMinute })
  if (creation.kind === 'nameTaken') return { kind: 'nameTaken' }
  const { organizationId } = creation.organization
  await putAccess(trx, acting, organizationId, terms)
  const invited = await inviteMember(trx, acting, { organizationId, mail: owner, role: 'owner', by: acting.actor })
  // it has no member and no invitation yet
  if (invited.kind !== 'invited') throw new Error(`the first Owner was not invited: ${invited.kind}`)
  return { kind: 'setUp', organizationId, invitationId: invited.invitationId }
}

/** `accessClosed`: it has no current contract. `notOpen`: its access is closed as well. */
export type AccessEnd = { readonly kind: 'contractEnded' | 'accessClosed' | 'notOpen' } | Gone

/** Ends the contract now; without a current one, closes the access. */
export async function endAccess(trx: Executor, acting: ActingNow, organizationId: string): Promise<AccessEnd> {
  if (await endContract(trx, organizationId, acting.now)) {
    await record(trx, acting, { action: 'contract.end', organizationId, subject: organizationId })
    return { kind: 'contractEnded' }
  }
  const closed = await editOrganization(trx, acting, organizationId, { hasApiAccess: false })
  if (closed.kind === 'gone') return closed
  return { kind: closed.kind === 'edited' ? 'accessClosed' : 'notOpen' }
}

/** Begins and ends contracts whose time has come, each once, however many processes check. */
export async function turnContracts(trx: Executor, now: number): Promise<void> {
  const { begun, ended } = await takeContractChanges(trx, now)
  for (const [action, ids] of [['contract.begin', begun] as const, ['contract.end', ended] as const])
    for (const organizationId of ids)
      await record(trx, { ...serviceActor, now }, { action, organizationId, subject: organizationId })
}
