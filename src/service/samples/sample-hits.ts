// What a newcomer sees of hits: the trial organization has a profile, a saved search and a receiver on this machine,
// which verifies and prints what it receives.
import { canonicalCompanyProfile, parseCompanyProfile } from '../../hits/company-profile.ts'
import {
  canonicalSearchFilter,
  defaultStatus,
  defaultThreshold,
  parseSearchFilter,
  searchFilterHash,
} from '../../hits/saved-search.ts'
import type { Sealer } from '../../platform/sealing.ts'
import { getSetting, setSetting } from '../../store/database/settings.ts'
import { createProfile, createSearch } from '../../store/hits/searches.ts'
import { createEndpoint, findEndpoint, moveEndpoint, signingSecrets } from '../../store/hits/webhook-endpoints.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { listenForWebhooks, type ReceivedWebhook, webhookLine } from '../../webhooks/listen.ts'
import { makeWebhookSecret, webhookSecretBytes, webhookSecretText } from '../../webhooks/signature.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import type { Emit } from '../events/command-event.ts'
import { openSealer } from '../hits/webhook-sealer.ts'

const organizationName = 'Trial'
/** The id of the endpoint that the samples made; empty after it was removed. */
const settingName = 'sample-endpoint'
/** How many hits are printed individually after a start; the others are in `tenderstock hit list`. */
const printedHits = 5

const sampleProfile = { cpv: ['45233000', '45232400'], words: ['straßenbau', 'kanalbau'] }
const sampleSearch = { cpv: ['45233000'], status: defaultStatus }

type SampleContext = Pick<ServiceContext, 'store' | 'dataFolder' | 'config' | 'random' | 'clock'>

/** Makes the samples once, and starts the receiver. Undefined when the endpoint was removed or its secret is lost. */
export async function openSampleHits(
  context: SampleContext,
  emit: Emit,
): Promise<{ readonly close: () => Promise<void> } | undefined> {
  const { store } = context
  const sealer = await openSealer(context)
  const made = (await getSetting(store.db, settingName)) ?? (await makeSamples(context, sealer))
  const endpoint = await findEndpoint(store.db, made)
  if (!endpoint) return undefined
  const [newest] = await signingSecrets(store.db, endpoint.endpointNo, context.clock())
  const secret = newest && sealer.open(newest.sealed, newest.secretId)
  if (!secret) return undefined
  let printed = 0
  const listener = await listenForWebhooks({
    port: 0,
    secret: webhookSecretText(secret),
    onWebhook: (webhook: ReceivedWebhook) => {
      printed++
      if (printed <= printedHits) emit({ event: 'hitReceived', id: webhook.id, line: webhookLine(webhook) })
      if (printed === printedHits + 1)
        emit({ event: 'note', message: 'More hits are not printed; all of them: tenderstock hit list' })
    },
    onRefused: (reason) => emit({ event: 'webhookRefused', reason }),
  })
  await moveEndpoint(store.db, endpoint.endpointId, listener.url)
  return listener
}

/** If it is killed in between, the next start makes what is missing. */
async function makeSamples(context: SampleContext, sealer: Sealer): Promise<string> {
  const { store, random, clock } = context
  const now = clock()
  const { organizationId } = (await findOrganization(store.db, organizationName))!
  const content = canonicalCompanyProfile(parseCompanyProfile(sampleProfile))
  const profile = await createProfile(store, { organizationId, name: 'Road builder', content }, { now, random })
  const filter = parseSearchFilter(sampleSearch)
  await createSearch(
    store,
    {
      organizationId,
      name: 'Road works',
      createdBy: 'samples',
      isActive: true,
      filter: canonicalSearchFilter(filter),
      filterHash: searchFilterHash(filter),
      profileId: profile.kind === 'created' ? profile.profile.profileId : null,
      threshold: defaultThreshold,
    },
    { now, random },
  )
  const [endpointId, secretId] = [random.uuid(), random.uuid()]
  await createEndpoint(
    store,
    {
      endpointId,
      organizationId,
      address: 'http://127.0.0.1/',
      description: 'Receiver for the samples, in the service itself',
      kinds: ['search.hit'],
      searches: undefined,
      requestsPerSecond: 10,
      secret: { secretId, sealed: sealer.seal(webhookSecretBytes(makeWebhookSecret(random.bytes))!, secretId) },
    },
    now,
  )
  await setSetting(store.db, settingName, endpointId)
  return endpointId
}
