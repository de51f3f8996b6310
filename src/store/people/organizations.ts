// Organizations, their access to the API, and their tokens: at most two valid ones at a time (C115, C116).
import { sql } from 'kysely'
import { dayMs } from '../../domain/time.ts'
import { hashToken, makeToken, tokenPrefix } from '../../domain/token.ts'
import { bump } from '../database/change-signal.ts'
import { type Executor, inTransaction } from '../database/database.ts'

export type Organization = {
  readonly organizationId: string
  readonly name: string
  /** False: every request is answered 403 (C114), the tokens stay. */
  readonly hasApiAccess: boolean
  /** The limit over all its tokens together. */
  readonly requestsPerMinute: number
  /** Whether its contract includes the files of whole editions. */
  readonly hasBulkFiles: boolean
  readonly createdAt: number
}

/** What an organization may do. */
export type AccessRights = Pick<Organization, 'hasApiAccess' | 'requestsPerMinute' | 'hasBulkFiles'>

/** A token without its plaintext, which is stored nowhere. Times in epoch milliseconds. */
export type ApiToken = {
  readonly tokenId: string
  readonly organizationId: string
  readonly name: string
  /** `tdr_live_` and the last four characters: enough to recognize it. */
  readonly hint: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** Accurate to five minutes. */
  readonly lastUsedAt: number | null
  /** A mail address, or `operator` for the command line; null: created before this was recorded. */
  readonly createdBy: string | null
  /** The network (/24 or /48) and the program of the last use. */
  readonly lastUsedFrom: string | null
  readonly lastUsedAgent: string | null
}

/** What the API needs to judge a request; `tokenHash` is `hashToken` of the token. */
export type TokenGrant = {
  readonly tokenId: string
  readonly tokenHash: string
  readonly expiresAt: number | undefined
  readonly organizationId: string
  readonly hasApiAccess: boolean
  readonly requestsPerMinute: number
  /** Absent: an older version wrote it, and there are no files for it. */
  readonly hasBulkFiles?: boolean
}

/** Time and randomness, passed in. */
export type Circumstances = {
  /** Epoch milliseconds. */
  readonly now: number
  readonly random: { readonly bytes: (count: number) => Uint8Array; readonly uuid: () => string }
}

/** The name of the organization that the samples are for. */
export const trialOrganization = 'Trial'
/** Default requests a minute of an organization (C121). */
const defaultRequestsPerMinute = 60

export type OrganizationCreation =
  | { readonly kind: 'created'; readonly organization: Organization }
  | { readonly kind: 'nameTaken'; readonly organization: Organization }

/** Null: written before there were files. */
const hasBulkFiles = sql<boolean>`coalesce(has_bulk_files, false)`

const organizationColumns = [
  'organization_id as organizationId',
  'name',
  'has_api_access as hasApiAccess',
  'requests_per_minute as requestsPerMinute',
  hasBulkFiles.as('hasBulkFiles'),
  'created_at as createdAt',
] as const

/** A new organization; `nameTaken` reports an existing one of the same name. */
export async function createOrganization(
  db: Executor,
  wanted: Pick<Organization, 'name'> & Partial<AccessRights>,
  { now, random }: Circumstances,
): Promise<OrganizationCreation> {
  const organization = await db
    .insertInto('organization')
    .values({
      organization_id: random.uuid(),
      name: wanted.name,
      has_api_access: wanted.hasApiAccess ?? true,
      requests_per_minute: wanted.requestsPerMinute ?? defaultRequestsPerMinute,
      has_bulk_files: wanted.hasBulkFiles ?? false,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(organizationColumns)
    .executeTakeFirst()
  if (organization) return { kind: 'created', organization }
  return { kind: 'nameTaken', organization: (await findOrganization(db, wanted.name))! }
}

/** All organizations, by name. */
export function listOrganizations(db: Executor): Promise<Organization[]> {
  return db.selectFrom('organization').select(organizationColumns).orderBy('name').execute()
}

/** The organization with this name or id. */
export function findOrganization(db: Executor, nameOrId: string): Promise<Organization | undefined> {
  return db
    .selectFrom('organization')
    .select(organizationColumns)
    .where((where) => where.or([where('name', '=', nameOrId), where('organization_id', '=', nameOrId)]))
    .executeTakeFirst()
}

/** The organization as it is now; others that change it wait until the transaction ends. */
export function lockOrganization(trx: Executor, organizationId: string): Promise<Organization | undefined> {
  return trx
    .selectFrom('organization')
    .select(organizationColumns)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
}

/** Sets the limit, the access, or the right to files. False when there is no such organization. */
export async function changeOrganization(
  store: { readonly db: Executor },
  organizationId: string,
  change: Partial<AccessRights>,
): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('organization')
      .set((set) => ({
        has_api_access: change.hasApiAccess ?? set.ref('has_api_access'),
        requests_per_minute: change.requestsPerMinute ?? set.ref('requests_per_minute'),
        has_bulk_files: change.hasBulkFiles ?? set.ref('has_bulk_files'),
      }))
      .where('organization_id', '=', organizationId)
      .executeTakeFirst()
    await bump(trx, 'tokens')
    return numUpdatedRows > 0n
  })
}

/** Gives an organization another name. `nameTaken`: another one has it. Call it in the transaction of its cause. */
export async function renameOrganization(
  trx: Executor,
  organizationId: string,
  name: string,
): Promise<'renamed' | 'nameTaken'> {
  const { numUpdatedRows } = await trx
    .updateTable('organization')
    .set({ name })
    .where('organization_id', '=', organizationId)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('organization as other')
            .select('other.name')
            .where((each) =>
              each.and([each('other.name', '=', name), each('other.organization_id', '<>', organizationId)]),
            ),
        ),
      ),
    )
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return 'nameTaken'
  await bump(trx, 'console')
  return 'renamed'
}

export type TokenCreation =
  /** `plaintext` is shown once and stored nowhere. */
  | { readonly kind: 'created'; readonly plaintext: string; readonly token: ApiToken }
  /** Two valid tokens exist: revoke one first. */
  | { readonly kind: 'noFreeSlot' }
  | { readonly kind: 'noOrganization' }

const tokenColumns = [
  'token_id as tokenId',
  'organization_id as organizationId',
  'name',
  sql<string>`prefix || '…' || last_four`.as('hint'),
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
  'created_by as createdBy',
  'last_used_from as lastUsedFrom',
  'last_used_agent as lastUsedAgent',
] as const

/**
 * Creates a token in a free slot. An expired token is not valid and frees its slot. A third valid token can never
 * exist: creations for one organization wait for each other on its row, and a unique index enforces it as well (C116).
 */
export async function createToken(
  store: { readonly db: Executor },
  wanted: {
    readonly organizationId: string
    readonly name: string
    readonly expiresAt?: number
    /** A mail address, or `operator`. */
    readonly createdBy?: string
    /** Made by `makeToken` and stored before; absent: a new one. */
    readonly plaintext?: string
  },
  { now, random }: Circumstances,
): Promise<TokenCreation> {
  const { organizationId } = wanted
  return inTransaction(store, async (trx) => {
    const organization = await trx
      .selectFrom('organization')
      .select('organization_id')
      .where('organization_id', '=', organizationId)
      .forUpdate()
      .executeTakeFirst()
    if (!organization) return { kind: 'noOrganization' }
    await trx
      .updateTable('api_token')
      .set((set) => ({ revoked_at: set.ref('expires_at') }))
      .where('organization_id', '=', organizationId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '<=', now)
      .execute()
    const valid = await trx
      .selectFrom('api_token')
      .select('slot')
      .where('organization_id', '=', organizationId)
      .where('revoked_at', 'is', null)
      .execute()
    const slot = [1, 2].find((candidate) => !valid.some((token) => token.slot === candidate))
    if (slot === undefined) return { kind: 'noFreeSlot' }
    const plaintext = wanted.plaintext ?? makeToken(random.bytes)
    const token = await trx
      .insertInto('api_token')
      .values({
        token_id: random.uuid(),
        organization_id: organizationId,
        slot,
        token_hash: hashToken(plaintext),
        prefix: tokenPrefix,
        last_four: plaintext.slice(-4),
        name: wanted.name,
        created_at: now,
        expires_at: wanted.expiresAt ?? null,
        revoked_at: null,
        last_used_at: null,
        created_by: wanted.createdBy ?? null,
        warned_days: wanted.expiresAt === undefined ? null : daysToldWith(wanted.expiresAt - now),
      })
      .returning(tokenColumns)
      .executeTakeFirstOrThrow()
    await bump(trx, 'tokens')
    return { kind: 'created', plaintext, token }
  })
}

/** Ends a token's validity. `ended`: it was no longer valid, and nothing changed. */
export async function revokeToken(
  store: { readonly db: Executor },
  tokenId: string,
  now: number,
): Promise<'revoked' | 'ended' | 'noToken'> {
  return inTransaction(store, async (trx) => {
    const token = await trx
      .selectFrom('api_token')
      .select(['revoked_at as revokedAt', 'expires_at as expiresAt'])
      .where('token_id', '=', tokenId)
      .forUpdate()
      .executeTakeFirst()
    if (!token) return 'noToken'
    if (!isValidToken(token, now)) return 'ended'
    await trx.updateTable('api_token').set({ revoked_at: now }).where('token_id', '=', tokenId).execute()
    await bump(trx, 'tokens')
    return 'revoked'
  })
}

/** All tokens ever made for an organization, oldest first, revoked ones too. */
export function listTokens(db: Executor, organizationId: string): Promise<ApiToken[]> {
  return db
    .selectFrom('api_token')
    .select(tokenColumns)
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('token_id')
    .execute()
}

/** The token with this id, revoked or not. */
export function findToken(db: Executor, tokenId: string): Promise<ApiToken | undefined> {
  return db.selectFrom('api_token').select(tokenColumns).where('token_id', '=', tokenId).executeTakeFirst()
}

/** Whether a token is valid: neither revoked nor past its end. */
export const isValidToken = ({ revokedAt, expiresAt }: Pick<ApiToken, 'revokedAt' | 'expiresAt'>, now: number) =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

/** Ends a token at `endsAt`, unless it ends earlier. Call it in the transaction of its cause. */
export async function limitToken(trx: Executor, tokenId: string, endsAt: number, now: number): Promise<void> {
  await trx
    .updateTable('api_token')
    .set({ expires_at: endsAt, warned_days: daysToldWith(endsAt - now) })
    .where('token_id', '=', tokenId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', endsAt)]))
    .execute()
  await bump(trx, 'tokens')
}

/** How many days before a token's end its Owners receive a mail. */
const warningDays = [1, 7, 30]

/** A person who sets an end knows it: only warnings that are due later are sent. */
const daysToldWith = (leftMs: number): number | null => warningDays.find((days) => leftMs <= days * dayMs) ?? null

export type TokenWarning = { readonly token: ApiToken; readonly days: number }

/**
 * Returns tokens that end within 30, 7 or 1 days and whose Owners were not yet told so; each is returned to one caller
 * only, with the shortest of these times. Call it in the transaction that tells them.
 */
export async function takeTokenWarnings(trx: Executor, now: number): Promise<TokenWarning[]> {
  const warnings: TokenWarning[] = []
  for (const days of warningDays) {
    const tokens = await trx
      .updateTable('api_token')
      .set({ warned_days: days })
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .where('expires_at', '<=', now + days * dayMs)
      .where((where) => where.or([where('warned_days', 'is', null), where('warned_days', '>', days)]))
      .returning(tokenColumns)
      .execute()
    warnings.push(...tokens.map((token) => ({ token, days })))
  }
  return warnings
}

/**
 * Every token that is not revoked, with what its organization may do. The caller's clock decides whether it has
 * expired.
 */
export async function loadTokens(db: Executor): Promise<TokenGrant[]> {
  const rows = await db
    .selectFrom('api_token')
    .innerJoin('organization', 'organization.organization_id', 'api_token.organization_id')
    .select([
      'token_id as tokenId',
      'token_hash as tokenHash',
      'expires_at as expiresAt',
      'organization.organization_id as organizationId',
      'has_api_access as hasApiAccess',
      'requests_per_minute as requestsPerMinute',
      hasBulkFiles.as('hasBulkFiles'),
    ])
    .where('api_token.revoked_at', 'is', null)
    .execute()
  return rows.map((row) => ({ ...row, expiresAt: row.expiresAt ?? undefined }))
}

/** Minimum time between two writes of `lastUsedAt`: a token in steady use costs one write in this time. */
const lastUsedResolutionMs = 5 * 60_000

/** Records that these tokens were used at `now`. Writes only what is older than the resolution. */
export async function touchTokens(db: Executor, tokenIds: readonly string[], now: number): Promise<void> {
  if (tokenIds.length === 0) return
  await db
    .updateTable('api_token')
    .set({ last_used_at: now })
    .where('token_id', 'in', tokenIds)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', now - lastUsedResolutionMs)]),
    )
    .execute()
}
