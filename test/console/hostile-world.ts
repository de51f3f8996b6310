// A service in which every text from outside is an attack: notices, names of people, organizations and searches,
// addresses of endpoints and what their receivers answer, programs of clients, errors of mail servers.
import { sql } from 'kysely'
import { keyHashOf } from '../../src/console/frame/directory.ts'
import { publishedRecord } from '../../src/console/frame/published-record.ts'
import { type AccountMail, queueAccountMail } from '../../src/console/mails/account-mails.ts'
import { newKey } from '../../src/console/mails/write-mails.ts'
import { authorityAddress, companyAddress } from '../../src/console/market/party.ts'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { letterContext } from '../../src/digests/digest-content.ts'
import { makeDigests } from '../../src/digests/make-digests.ts'
import { buyersOf } from '../../src/domain/buyers.ts'
import { winnersOf } from '../../src/domain/companies/companies.ts'
import type { Notice } from '../../src/domain/notice.ts'
import { dayMs, hourMs } from '../../src/domain/time.ts'
import { canonicalCompanyProfile, parseCompanyProfile } from '../../src/hits/company-profile.ts'
import { matchEditions } from '../../src/hits/match-editions.ts'
import { openMatcher } from '../../src/hits/matcher.ts'
import { canonicalSearchFilter, parseSearchFilter, searchFilterHash } from '../../src/hits/saved-search.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { allowLoopbackWebhooks } from '../../src/service/hits/loopback-webhooks.ts'
import { type Executor, inTransaction } from '../../src/store/database/database.ts'
import { createDigest } from '../../src/store/hits/digests.ts'
import { changeSearch, createProfile, createSearch } from '../../src/store/hits/searches.ts'
import { createEndpoint } from '../../src/store/hits/webhook-endpoints.ts'
import { type AuditAction, addAuditEntry } from '../../src/store/people/audit.ts'
import { markDeadline } from '../../src/store/people/calendars.ts'
import { putContract } from '../../src/store/people/contracts.ts'
import { createInvitation, listInvitations } from '../../src/store/people/invitations.ts'
import { createToken, revokeToken } from '../../src/store/people/organizations.ts'
import { addPasskey } from '../../src/store/people/passkeys.ts'
import { addMember, createPerson } from '../../src/store/people/people.ts'
import { insertQuote } from '../../src/store/people/quotes.ts'
import { createSignInLink, startSession } from '../../src/store/people/sessions.ts'
import { setStatusMails } from '../../src/store/people/status-mails.ts'
import { insertDocuments, insertRejections, packDocument } from '../../src/store/received/documents.ts'
import { createIncident } from '../../src/store/screens/incidents.ts'
import { addNames, insertAlarm } from '../../src/store/sources/source-health.ts'
import { insertRun } from '../../src/store/sources/source-ledger.ts'
import { upsertEdges } from '../../src/store/stock/matches.ts'
import { sealChatAddress } from '../../src/webhooks/chat-address.ts'
import { chatKinds } from '../../src/webhooks/chat-body.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'
import { openSender } from '../../src/webhooks/send-attempt.ts'
import { makeWebhookSecret, webhookSecretBytes } from '../../src/webhooks/signature.ts'
import { receiveNotices } from '../receive-notices.ts'
import { at, lot, notice } from '../testing/generate/notices.ts'
import { startReceiver } from '../webhooks/delivery-world.ts'
import type { Engine } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'
import { hostileAddresses, hostileTexts } from './hostile-texts.ts'

const textAt = (index: number): string => hostileTexts[index % hostileTexts.length]!
const addressAt = (index: number): string => hostileAddresses[index % hostileAddresses.length]!

/** A call in which every text is an attack. */
function hostileNotice(index: number): Notice {
  const text = textAt(index)
  return notice({
    noticeKey: `ted:${index}-2026`,
    publisher: textAt(index + 1).slice(0, 200),
    publicationNumber: textAt(index + 2),
    title: { de: text, en: textAt(index + 3) },
    description: { de: `${text} ${textAt(index + 4)}` },
    internalReference: textAt(index + 5),
    contractingAuthorities: [
      {
        name: `${index} ${textAt(index + 6)}`,
        city: text,
        country: 'DE',
        email: addressAt(index),
        url: addressAt(index),
      },
    ],
    procedureTypeNational: text,
    contractNature: text,
    legalBasis: text,
    buyerProfileUrl: addressAt(index + 1),
    documentsUrl: addressAt(index),
    submissionUrl: addressAt(index + 2),
    url: addressAt(index),
    publicationDate: at('2026-11-05'),
    lots: [
      lot(text, {
        title: { de: text },
        submissionDate: at('2026-12-01T10:00'),
        estimatedValue: { value: 5000, currency: text.slice(0, 60) },
      }),
    ],
  })
}

/** A change of it, so that the history contains the texts too. */
const changed = (index: number): Notice => ({
  ...hostileNotice(index),
  noticeKey: `ted:${index + 500}-2026`,
  formType: 'change',
  title: { de: textAt(index + 7) },
  publicationDate: at('2026-11-15'),
  references: [{ kind: 'changes', publicationNumber: textAt(index + 2) }],
})

/** A result whose winners are companies called like attacks: four of them. */
const awarded = (index: number): Notice =>
  notice({
    noticeKey: `ted:${index + 900}-2026`,
    publicationNumber: `${index + 900}-2026`,
    formType: 'result',
    title: { de: textAt(index) },
    contractingAuthorities: [{ name: textAt(index + 6), city: textAt(index + 1), country: 'DE' }],
    publicationDate: at('2026-11-10'),
    lots: [0, 1, 2, 3].map((more) =>
      lot(`LOT-${more}`, {
        result: {
          outcome: 'awarded',
          awardedValue: { value: 5000, currency: 'EUR' },
          winners: [
            { name: `${textAt(index + more)} GmbH`, nationalId: `HRB ${24900 + index + more} Augsburg`, country: 'DE' },
          ],
        },
      }),
    ),
  })

/** Removes what no database accepts. */
const stored = (index: number): string => textAt(index).replaceAll('\0', '')
/** A mail address as somebody might have entered one. */
const mailAt = (index: number): string =>
  `${stored(index).toLowerCase().replace(/\s/g, '').slice(0, 60)}${index}@example.org`

const passkeyAt = (index: number): string => Buffer.from(`passkey ${index}`).toString('base64url')

const searchTerms = (filter: object) => {
  const parsed = parseSearchFilter(filter)
  return {
    isActive: true,
    filter: canonicalSearchFilter(parsed),
    filterHash: searchFilterHash(parsed),
    profileId: null,
    threshold: 1,
  }
}

/** What follows the host of a channel's address: no page shows it. */
export const channelPath = '/services/T0/B0/key-of-a-channel'

/** Addresses of pages by the pattern of their route. `texts`: whether their main part shows texts of strangers. */
type HostilePages = { readonly [route: string]: readonly string[] }

export type HostileWorld = Awaited<ReturnType<typeof openHostileWorld>>

/**
 * Organizations, people, searches, hits, endpoints and the rest, twenty of each, all owned by one person who is
 * operator too.
 */
export async function openHostileWorld(engine: Engine) {
  const world: ConsoleWorld = await openConsoleWorld(engine, {
    config: { mail: { host: 'mail.example.org', port: 25, security: 'none', from: 'tenders@example.org' } },
    samples: () => ({
      isFrozen: false,
      editions: world.context.editions,
      ask: async () => ({
        status: 200,
        headers: { etag: textAt(0) },
        body: JSON.stringify({ data: hostileTexts, nextCursor: textAt(3) }),
      }),
    }),
  })
  const { store, context, now } = world
  const circumstances = { now: now(), random: systemRandom }
  await allowLoopbackWebhooks(store, true)
  const indexes = hostileTexts.map((_, index) => index)

  const organizations: string[] = []
  for (const index of indexes) organizations.push(await world.organization(stored(index), true))
  const [acme] = organizations as [string]
  const owner = await world.person(mailAt(0), {
    isOperator: true,
    memberOf: organizations.map((each) => [each, 'owner'] as const),
  })
  const people: string[] = []
  await inTransaction(store, async (trx) => {
    for (const index of indexes) {
      const wanted = { personId: systemRandom.uuid(), mail: mailAt(index + 20), name: stored(index), isOperator: false }
      const { personId } = await createPerson(trx, wanted, now())
      await addMember(trx, { organizationId: acme, personId, role: 'member' }, now())
      people.push(personId)
      const invitation = {
        organizationId: acme,
        mail: mailAt(index + 40),
        role: 'member',
        invitedBy: stored(index),
      } as const
      await createInvitation(trx, { invitationId: systemRandom.uuid(), ...invitation }, now())
      await addPasskey(trx, {
        credentialId: passkeyAt(index),
        personId: owner.personId,
        publicKey: Buffer.alloc(1),
        counter: 0,
        transports: [],
        name: stored(index),
        createdAt: now(),
      })
    }
    for (const index of indexes.slice(0, 8)) {
      const sessionId = keyHashOf(String(index))
      const times = { createdAt: now(), seenAt: now(), signedInAt: now() }
      const session = {
        sessionId,
        personId: owner.personId,
        ...times,
        agent: stored(index),
        addressPrefix: stored(index + 1),
      }
      await startSession(trx, session, undefined)
    }
  })

  // two searches that match: by the code of a lot, and by the names of authorities, which the reasons then contain
  const words = ['alert', 'script', 'evil', 'bau']
  const filters = [
    { cpv: ['45212222'], words },
    { authorities: indexes.map((index) => `${index} ${stored(index + 6)}`) },
    ...indexes
      .slice(2)
      .map((index) => ({ words, authorities: [stored(index)], excluded: { authorities: [stored(index + 1)] } })),
  ]
  const searches: { readonly searchId: string; readonly searchNo: number }[] = []
  const profiles: string[] = []
  for (const index of indexes) {
    const wanted = {
      ...searchTerms(filters[index]!),
      threshold: index < 2 ? 1 : 100,
      organizationId: acme,
      name: stored(index),
      createdBy: stored(index),
    }
    const made = await createSearch(store, wanted, circumstances)
    if (made.kind !== 'created') throw new Error(made.kind)
    searches.push(made.search)
    if (index > 2) await changeSearch(store, made.search.searchNo, { isActive: index % 2 === 0 }, now())
    const content = canonicalCompanyProfile(parseCompanyProfile({ words, pastAuthorities: [stored(index)] }))
    const profile = await createProfile(store, { organizationId: acme, name: stored(index), content }, circumstances)
    if (profile.kind === 'created') profiles.push(profile.profile.profileId)
  }
  const receiver = await startReceiver(
    (response, _, count) => void response.writeHead(count % 2 === 0 ? 200 : 500).end(textAt(count)),
  )
  const sealer = await context.webhooks.sealer()
  const endpoints: string[] = []
  const channels: string[] = []
  for (const index of indexes) {
    const [endpointId, secretId] = [systemRandom.uuid(), systemRandom.uuid()]
    const secret = webhookSecretBytes(makeWebhookSecret(systemRandom.bytes))!
    // the last ones are channels of a chat, one of each kind
    const kind = chatKinds[index - (indexes.length - chatKinds.length)]
    const channel = kind && sealChatAddress(new URL(channelPath, receiver.url).href, sealer, secretId)!
    const wanted = {
      endpointId,
      organizationId: acme,
      address: channel?.host ?? receiver.url,
      chat: kind && { kind, language: 'de' },
      description: index % 4 === 0 ? '' : stored(index),
      kinds: ['search.hit'],
      requestsPerSecond: 1000,
      secret: channel?.stored ?? { secretId, sealed: sealer.seal(secret, secretId) },
      searches: [searches[index % 2]!.searchId],
    }
    await createEndpoint(store, wanted, now())
    ;(channel ? channels : endpoints).push(endpointId)
  }
  const digests: string[] = []
  for (const index of indexes) {
    const timing = {
      rhythm: 'atOnce',
      weekday: 'monday',
      hour: 7,
      zone: 'Europe/Berlin',
      language: 'en',
      madeDay: 0,
      dueAt: now(),
    } as const
    const digestId = systemRandom.uuid()
    await createDigest(
      store,
      { digestId, searchNo: searches[index % 2]!.searchNo, person: mailAt(index), ...timing },
      now(),
    )
    digests.push(digestId)
  }

  await receiveNotices(
    store,
    indexes.flatMap((index) => [hostileNotice(index), changed(index), ...(index % 4 === 0 ? [awarded(index)] : [])]),
  )
  await consolidate(store, { now: now() })
  world.wait(hourMs)
  await world.publish()
  await world.editions.indexed(30_000)
  const matcher = openMatcher()
  await matchEditions(store, { matcher, clock: now })
  await matcher.close()
  await makeDigests(store, { clock: now, domain: 'example.org' })
  const sender = openSender({ version: 'test', now, timeoutMs: 5000 })
  await deliverDue(
    {
      store,
      clock: now,
      wallClock: Date.now,
      random: () => 0.5,
      send: sender.send,
      sealer,
      worker: 'test',
      mailDomain: 'example.org',
      addresses: { allowsLoopback: true },
    },
    new AbortController().signal,
  )
  await sender.close()
  receiver[Symbol.dispose]()
  for (const [index, endpointId] of endpoints.entries())
    await sql`update webhook_endpoint set address = ${addressAt(index)} where endpoint_id = ${endpointId}`.execute(
      store.db,
    )
  await sql`insert into search_edition (edition, search_no, hits, state) values (1, ${searches[1]!.searchNo}, 9, 'held')
    on conflict (edition, search_no) do update set state = 'held'`.execute(store.db)

  const tokens: string[] = []
  for (const index of indexes) {
    const made = await createToken(
      store,
      { organizationId: acme, name: stored(index), createdBy: mailAt(index) },
      circumstances,
    )
    if (made.kind !== 'created') throw new Error(made.kind)
    const { tokenId } = made.token
    tokens.push(tokenId)
    await sql`update api_token set last_used_at = ${now()}, last_used_agent = ${stored(index)}, last_used_from = ${stored(index + 1)}
      where token_id = ${tokenId}`.execute(store.db)
    if (index < indexes.length - 1) await revokeToken(store, tokenId, now())
  }
  const incidents: string[] = []
  const quotes: string[] = []
  const keys = { invitation: newKey(systemRandom), link: newKey(systemRandom) }
  await inTransaction(store, async (trx) => {
    const terms = { startsAt: now() - dayMs, endsAt: now() + 5 * dayMs, setUpBy: mailAt(1) }
    for (const [index, organizationId] of organizations.entries())
      await putContract(trx, { organizationId, note: stored(index), ...terms }, now())
    for (const index of indexes) {
      const incidentId = systemRandom.uuid()
      incidents.push(incidentId)
      const incident = {
        title: stored(index),
        detail: stored(index + 1),
        startedAt: now() - index,
        createdBy: mailAt(index),
      }
      await createIncident(trx, { incidentId, ...incident })
      const quoteId = systemRandom.uuid()
      quotes.push(quoteId)
      const asked = { name: stored(index), company: stored(index + 1), mail: mailAt(index), message: stored(index + 2) }
      await insertQuote(trx, { quoteId, ...asked, needs: ['api'], language: 'de' }, world.now())
      for (const organizationId of [undefined, acme])
        await addAuditEntry(trx, {
          at: now(),
          actor: stored(index),
          organizationId,
          action: stored(index + 1) as AuditAction,
          subject: stored(index + 2),
          detail: { [stored(index + 3)]: stored(index + 4) },
          addressPrefix: stored(index + 5),
        })
    }
    const { rows } = await sql<{ invitationId: string; until: number }>`
      select invitation_id as "invitationId", until_ms as until from invitation order by mail limit 1`.execute(trx)
    await createSignInLink(trx, { keyHash: keyHashOf(keys.invitation), ...rows[0]!, now: now() })
    await createSignInLink(trx, { keyHash: keyHashOf(keys.link), personId: people[0]!, now: now() })
    // one before the edition, whose reasons the edition then has, and one after it
    for (const heldAt of [startOfConsole, now() + 1])
      await sql`insert into edition_hold (held_at, reasons) values (${heldAt}, ${JSON.stringify(indexes.map(stored))})`.execute(
        trx,
      )
  })

  const documents = hostileTexts.map((text, index) => ({
    documentId: index.toString(16).padStart(64, 'a'),
    sourceId: 'doe',
    address: `${text} ${addressAt(index)}`,
    receivedAt: startOfConsole,
    byteSize: Buffer.byteLength(text),
    packed: packDocument(Buffer.from(text)),
    parserVersion: 1,
  }))
  await insertDocuments(store.db, documents)
  await insertRejections(
    store.db,
    documents.map(({ documentId }, index) => ({
      documentId,
      pointer: `/${index}`,
      rejection: { reason: 'malformed', path: textAt(index + 1), detail: textAt(index) },
      rejectedAt: startOfConsole,
    })),
  )
  for (const [index, detail] of hostileTexts.entries())
    await insertAlarm(store.db, {
      sourceId: 'doe',
      kind: 'drift',
      raisedAt: index,
      detail: detail.replaceAll('\0', ''),
      share: 0,
    })
  const tenders = await store.db
    .selectFrom('tender')
    .select(['tender_id', 'founding_key'])
    .orderBy('tender_id')
    .execute()
  const published = tenders.map(({ tender_id: id }) => publishedRecord(world.editions, id)!)
  // the longest words first: they are examined in every window
  const eight = (addresses: readonly (string | undefined)[]) =>
    [...new Set(addresses.filter((each) => each !== undefined))]
      .sort((a, b) => Number(b.includes('WWW')) - Number(a.includes('WWW')))
      .slice(0, 8)
  await inTransaction(store, async (trx) => {
    for (const { id } of published) await markDeadline(trx, owner.personId, id, now())
  })
  const foundingKeys = tenders.map((row) => row.founding_key).sort()
  await upsertEdges(
    store.db,
    foundingKeys.slice(1).map((right, index) => ({
      left: foundingKeys[0]!,
      right,
      kind: 'review' as const,
      rule: 'made-up',
      score: 9,
      evidence: textAt(index).replaceAll('\0', ''),
    })),
  )

  for (const index of indexes)
    await insertRun(store.db, {
      sourceId: 'doe',
      channel: stored(index),
      slot: stored(index),
      startedAt: index,
      endedAt: now() + index,
      outcome: 'failed',
      reason: 'fault',
      requests: 1,
      entries: 0,
      documents: 0,
      notices: 0,
      rejections: 0,
      detail: stored(index),
    })
  await addNames(store.db, 'doe', new Map(indexes.map((index) => [stored(index), 50])), now())
  await context.directory.refresh()
  await context.reads.titles()
  const receiving = [...endpoints, ...channels]
  const { rows: messages } = await sql<{ endpointId: string; messageId: string }>`
    select distinct on (endpoint_no) endpoint_id as "endpointId", message_id as "messageId" from delivery
    join webhook_endpoint using (endpoint_no) where kind = 'search.hit' order by endpoint_no, message_id`.execute(
    store.db,
  )
  const { rows: letters } = await sql<{ id: string }>`
    select message_id as id from mail where digest_id is not null order by message_id limit 2`.execute(store.db)
  const org = `/o/${acme}`
  const pages: HostilePages = {
    '/o/:organization': organizations.map((each) => `/o/${each}`),
    '/o/:organization/audit': [`${org}/audit`, `${org}/audit?before=30`],
    '/o/:organization/contract': organizations.map((each) => `/o/${each}/contract`),
    '/o/:organization/digests': [`${org}/digests`],
    '/o/:organization/digests/:digest': digests.map((each) => `${org}/digests/${each}`),
    '/o/:organization/digests/:digest/remove': digests.map((each) => `${org}/digests/${each}/remove`),
    '/o/:organization/start': [
      `${org}/start?step=2&what=${encodeURIComponent(textAt(0))}`,
      `${org}/start?step=3&seen=yes&what=bau&cpv=45212222&company=alert`,
    ],
    '/me/hits': ['/me/hits?after=0&to=9'],
    '/letter/:token': letters.map(
      ({ id }) => `/letter/${sealer.seal(Buffer.from(id), letterContext).toString('base64url')}`,
    ),
    '/o/:organization/hits': ['', '?order=deadline', '?state=seen', `?search=${searches[1]!.searchId}`].map(
      (query) => `${org}/hits${query}`,
    ),
    '/o/:organization/people': [`${org}/people`],
    '/o/:organization/people/leave': organizations.map((each) => `/o/${each}/people/leave`),
    '/o/:organization/people/remove': people.map((each) => `${org}/people/remove?person=${each}`),
    '/o/:organization/profiles': [`${org}/profiles`],
    '/o/:organization/profiles/new': [`${org}/profiles/new`],
    '/o/:organization/profiles/:profile': profiles.map((each) => `${org}/profiles/${each}`),
    '/o/:organization/profiles/:thing/copy': profiles.map((each) => `${org}/profiles/${each}/copy`),
    '/o/:organization/profiles/:thing/delete': profiles.map((each) => `${org}/profiles/${each}/delete`),
    '/o/:organization/searches/:thing/copy': searches.map(({ searchId }) => `${org}/searches/${searchId}/copy`),
    '/o/:organization/searches/:thing/delete': searches.map(({ searchId }) => `${org}/searches/${searchId}/delete`),
    '/o/:organization/searches': [`${org}/searches`],
    '/o/:organization/searches/new': [`${org}/searches/new`],
    '/o/:organization/searches/:search': searches.map(
      ({ searchId }, index) => `${org}/searches/${searchId}?tender=${tenders[index % tenders.length]!.tender_id}`,
    ),
    '/o/:organization/settings/api-access': [`${org}/settings/api-access`],
    '/o/:organization/settings/api-access/revoke/:token': [`${org}/settings/api-access/revoke/${tokens.at(-1)!}`],
    '/o/:organization/webhooks': [`${org}/webhooks`],
    '/o/:organization/webhooks/new': [`${org}/webhooks/new`],
    '/o/:organization/webhooks/:endpoint': receiving.map((each) => `${org}/webhooks/${each}`),
    '/o/:organization/webhooks/:endpoint/edit': receiving.map((each) => `${org}/webhooks/${each}/edit`),
    '/o/:organization/webhooks/:endpoint/remove': receiving.map((each) => `${org}/webhooks/${each}/remove`),
    '/o/:organization/webhooks/:endpoint/secret': endpoints.map((each) => `${org}/webhooks/${each}/secret`),
    '/o/:organization/webhooks/:endpoint/messages/:message': messages.map(
      ({ endpointId, messageId }) => `${org}/webhooks/${endpointId}/messages/${messageId}`,
    ),
    '/operator': ['/operator'],
    '/operator/audit': ['/operator/audit', `/operator/audit?organization=${acme}`],
    '/operator/editions': ['/operator/editions'],
    '/operator/editions/hold': ['/operator/editions/hold'],
    '/operator/editions/:edition': ['/operator/editions/1'],
    '/operator/quotes': ['/operator/quotes'],
    '/operator/quotes/:quote': quotes.map((each) => `/operator/quotes/${each}`),
    '/operator/quotes/:quote/erase': quotes.map((each) => `/operator/quotes/${each}/erase`),
    '/operator/incidents': ['/operator/incidents'],
    '/operator/incidents/:incident': incidents.map((each) => `/operator/incidents/${each}`),
    '/operator/incidents/:incident/end': incidents.map((each) => `/operator/incidents/${each}/end`),
    '/operator/organizations': ['/operator/organizations'],
    '/operator/organizations/new': ['/operator/organizations/new'],
    '/operator/organizations/:id': organizations.map((each) => `/operator/organizations/${each}`),
    '/operator/organizations/:id/end': organizations.map((each) => `/operator/organizations/${each}/end`),
    '/operator/rejections': ['/operator/rejections'],
    '/operator/reviews': ['/operator/reviews'],
    '/operator/reviews/pair': foundingKeys
      .slice(1, 21)
      .map(
        (right) =>
          `/operator/reviews/pair?left=${encodeURIComponent(foundingKeys[0]!)}&right=${encodeURIComponent(right)}`,
      ),
    '/operator/sources': ['/operator/sources'],
    '/operator/sources/:source': ['/operator/sources/doe'],
    '/operator/values': ['/operator/values'],
    '/me': ['/me'],
    '/me/calendar': ['/me/calendar'],
    '/me/passkeys/new': ['/me/passkeys/new'],
    '/me/passkeys/remove': indexes.map((index) => `/me/passkeys/remove?id=${passkeyAt(index)}`),
    '/tenders': ['/tenders?status=any', '/tenders?status=any&page=2'],
    '/samples/:id': tenders.map((row) => `/samples/${row.tender_id}`),
    '/tenders/:id': tenders.map((row) => `/tenders/${row.tender_id}`),
    '/authorities/:country/:name': eight(published.flatMap((record) => buyersOf(record).map(authorityAddress))),
    '/companies/:country/:name': eight(published.flatMap((record) => winnersOf(record).map(companyAddress))),
    '/explorer': [`/explorer?ask=1&cpv=${encodeURIComponent(textAt(0))}`],
    '/status': ['/status'],
    '/stock': ['/stock'],
    '/docs/fields': ['/docs/fields'],
    '/invitation/:key': [`/invitation/${keys.invitation}`],
    '/sign-in/link/:key': [`/sign-in/link/${keys.link}`],
  }
  // some pages require a fresh sign-in
  const cookie = await world.signIn(owner.personId)
  return { ...world, cookie, pages, documents, organizationId: acme, personId: owner.personId }
}

/** Mails of every kind of account, with attacks wherever a name stands. Digests wait already. */
const quoteAt = (index: number) =>
  ({
    quoteId: 'q',
    name: stored(index),
    company: stored(index + 1),
    mail: mailAt(index),
    message: stored(index + 2),
    needs: ['api', 'files'],
    language: 'en',
  }) as const

export async function queueHostileMails(trx: Executor, world: HostileWorld): Promise<void> {
  const { context, now, organizationId, personId } = world
  await setStatusMails(trx, personId, true)
  const newsAt = (index: number) => {
    const [title, detail] = [stored(index), `${stored(index + 1)}\n\n${stored(index + 2)}`]
    const incident = { about: 'incident', event: 'began', incidentId: 'i', title, detail } as const
    return { ...incident, startedAt: now(), personId, at: now() }
  }
  for (const index of hostileTexts.keys()) {
    const token = { organizationId, organization: stored(index), name: stored(index + 1), hint: 'tdr_live_…abcd' }
    const about = { ...token, actor: stored(index + 3), expiresAt: now() + dayMs }
    for (const language of ['en', 'de'] as const) {
      const letters: readonly AccountMail[] = [
        { kind: 'signIn', language, data: { return: `/${stored(index)}` } },
        {
          kind: 'lettersEnded',
          language,
          data: { organizationId, organization: stored(index), person: mailAt(index), error: stored(index + 1) },
        },
        { kind: 'tokenCreated', language, data: about },
        { kind: 'tokenRevoked', language, data: about },
        { kind: 'tokenEnds', language, data: { ...about, actor: null } },
        { kind: 'quoteAsked', language, data: quoteAt(index) },
        { kind: 'statusNews', language, data: newsAt(index) },
      ]
      for (const mail of letters) await queueAccountMail(trx, context, { to: mailAt(0), mail, now: now() })
    }
  }
  for (const { invitationId, role } of await listInvitations(trx, { organizationId }, now()))
    for (const index of hostileTexts.keys()) {
      const data = { invitationId, organization: stored(index), invitedBy: stored(index + 1), role }
      await queueAccountMail(trx, context, {
        to: mailAt(index),
        mail: { kind: 'invitation', language: 'en', data },
        now: now(),
      })
      if (index > 1) break
    }
}
