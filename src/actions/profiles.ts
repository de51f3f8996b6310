// Changes of company profiles. Each runs in the transaction of its caller, and leaves one entry of the audit log.
import { type CompanyProfile, canonicalCompanyProfile } from '../hits/company-profile.ts'
import type { Executor } from '../store/database/database.ts'
import { deleteProfile as deleteRows, searchesWithProfile } from '../store/hits/removals.ts'
import {
  changeProfile,
  createProfile,
  lockProfile,
  type ProfileCreation,
  renameProfile,
  type StoredProfile,
} from '../store/hits/searches.ts'
import { type Acting, record } from './acting.ts'
import type { Deletion } from './searches.ts'

export async function addProfile(
  trx: Executor,
  acting: Acting,
  {
    organizationId,
    name,
    profile,
  }: { readonly organizationId: string; readonly name: string; readonly profile: CompanyProfile },
): Promise<ProfileCreation> {
  const wanted = { organizationId, name, content: canonicalCompanyProfile(profile) }
  const creation = await createProfile({ db: trx }, wanted, acting)
  if (creation.kind === 'created')
    await record(trx, acting, { action: 'profile.create', subject: name, organizationId })
  return creation
}

/** `gone`: the profile to be copied does not exist any more. */
export type ProfileCopy = ProfileCreation | { readonly kind: 'gone' }

/** Creates another profile of the organization with the same content. */
export async function copyProfile(
  trx: Executor,
  acting: Acting,
  profileId: string,
  name: string,
): Promise<ProfileCopy> {
  const original = await lockProfile(trx, profileId)
  if (!original) return { kind: 'gone' }
  const { organizationId, content } = original
  const creation = await createProfile({ db: trx }, { organizationId, name, content }, acting)
  const detail = { copyOf: original.name }
  if (creation.kind === 'created')
    await record(trx, acting, { action: 'profile.create', subject: name, organizationId, detail })
  return creation
}

/** `inUse`: searches use it; they come first. */
export type ProfileDeletion = Deletion | { readonly kind: 'inUse'; readonly searches: readonly string[] }

/** Deletes a profile that no search uses. `confirmed` is its name, as typed by whoever acts. */
export async function deleteProfile(
  trx: Executor,
  acting: Acting,
  profileId: string,
  confirmed: string,
): Promise<ProfileDeletion> {
  const profile = await lockProfile(trx, profileId)
  if (!profile) return { kind: 'gone' }
  const { organizationId, name } = profile
  const searches = await searchesWithProfile(trx, profileId)
  if (searches.length > 0) return { kind: 'inUse', searches }
  if (confirmed !== name) return { kind: 'unconfirmed', name }
  await deleteRows(trx, profile, acting.now)
  await record(trx, acting, { action: 'profile.delete', subject: name, organizationId })
  return { kind: 'deleted', name }
}

/** `stale`: somebody changed or deleted the profile since `seen` was read. */
export type ProfileEdit =
  | {
      readonly kind: 'edited'
      readonly profile: StoredProfile
      readonly isRenamed: boolean
      readonly hasNewContent: boolean
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'nameTaken' }
  | { readonly kind: 'stale' }

/**
 * Gives a profile a new version, another name, or both. `seen` is the version that whoever acts had before them; absent
 * members stay.
 */
export async function editProfile(
  trx: Executor,
  acting: Acting,
  change: {
    readonly seen: Pick<StoredProfile, 'profileId' | 'version'>
    readonly name?: string
    readonly profile?: CompanyProfile
  },
): Promise<ProfileEdit> {
  const before = await lockProfile(trx, change.seen.profileId)
  if (before?.version !== change.seen.version) return { kind: 'stale' }
  const { organizationId, profileId } = before
  const content = change.profile === undefined ? before.content : canonicalCompanyProfile(change.profile)
  const hasNewContent = content !== before.content
  const isRenamed = change.name !== undefined && change.name !== before.name
  if (!hasNewContent && !isRenamed) return { kind: 'unchanged' }
  if (isRenamed && !(await renameProfile(trx, before, change.name!))) return { kind: 'nameTaken' }
  if (hasNewContent) await changeProfile({ db: trx }, profileId, content, acting.now)
  const profile = (await lockProfile(trx, profileId))!
  const detail = { ...(isRenamed && { nameBefore: before.name }), version: profile.version }
  await record(trx, acting, { action: 'profile.edit', subject: profile.name, organizationId, detail })
  return { kind: 'edited', profile, isRenamed, hasNewContent }
}
