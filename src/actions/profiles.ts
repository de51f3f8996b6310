// Changes of company profiles. Each runs in the transaction of its caller, and leaves one entry of the audit log.
import { type CompanyProfile, canonicalCompanyProfile } from '../hits/company-profile.ts'
import type { Executor } from '../store/database.ts'
import {
  changeProfile,
  createProfile,
  lockProfile,
  type ProfileCreation,
  type StoredProfile,
} from '../store/searches.ts'
import { type Acting, record } from './acting.ts'

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

/** `stale`: somebody changed or removed the profile since `seen` was read. */
export type ProfileEdit =
  | { readonly kind: 'edited'; readonly profile: StoredProfile }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'stale' }

/** Gives the profile a new version. `seen` is the version that whoever acts had before them. */
export async function editProfile(
  trx: Executor,
  acting: Acting,
  { seen, profile }: { readonly seen: Pick<StoredProfile, 'profileId' | 'version'>; readonly profile: CompanyProfile },
): Promise<ProfileEdit> {
  const before = await lockProfile(trx, seen.profileId)
  if (before?.version !== seen.version) return { kind: 'stale' }
  const content = canonicalCompanyProfile(profile)
  if (content === before.content) return { kind: 'unchanged' }
  const { organizationId, name } = before
  await changeProfile({ db: trx }, before.profileId, content, acting.now)
  const edited = (await lockProfile(trx, before.profileId))!
  const detail = { version: edited.version }
  await record(trx, acting, { action: 'profile.edit', subject: name, organizationId, detail })
  return { kind: 'edited', profile: edited }
}
