// Who may request which address, and what needs a fresh sign-in, according to the rules of the console: written down a
// second time, apart from the routes, so that a route that admits more people than it should is noticed.
import { describe, expect, test } from 'vitest'
import { consoleRoutes as routes } from '../testing/crawl-console.ts'

/** The first row that matches counts. */
const rules: readonly (readonly [pattern: RegExp, audience: string])[] = [
  [/^\w+ \/operator(?:\/|$)/, 'operator'],
  // tokens and the contract are only for Owners
  [/^\w+ \/o\/:organization\/(?:settings|contract)(?:\/|$)/, 'owner'],
  // everybody sees who belongs to the organization, and leaves it; Owners change who does
  [/^\w+ \/o\/:organization\/people(?:\/leave)?$/, 'member'],
  [/^\w+ \/o\/:organization\/people\//, 'owner'],
  // members read what is delivered, without secrets; Owners change it
  [/^GET \/o\/:organization\/webhooks(?:\/:endpoint(?:\/messages\/:message)?)?$/, 'member'],
  [/^\w+ \/o\/:organization\/webhooks\//, 'owner'],
  [/^\w+ \/o\/:organization\/(?:searches|hits|profiles|digests|start)(?:\/|$)/, 'member'],
  [/^GET \/o\/:organization(?:\/audit)?$/, 'member'],
  [/^GET \/tenders(?:\.csv)?$/, 'public'],
  [/^\w+ \/(?:authorities|companies|me|signed-in|tenders)(?:\/|$)/, 'person'],
  [/^(?:GET|POST) \/(?:sign-in|first|invitation|quote)(?:\/|$)/, 'public'],
  [/^POST \/sign-out$/, 'public'],
  // whoever knows the secret address of a calendar, or the sealed one of a mail, reads it
  [
    /^GET \/(?:calendar|letter|docs|codes|explorer|help|samples|stock|status|changelog|language|\.well-known)?(?:[/.]|$)/,
    'public',
  ],
  [/^GET \/[\w.-]+\.(?:json|txt|xml)$/, 'public'],
]

/** What a stolen session must not do: tokens, secrets, roles, contracts, passkeys, an edition that was held. */
const freshSignIn = [
  'GET /me/passkeys/new',
  'GET /me/passkeys/remove',
  'GET /o/:organization/people/remove',
  'GET /o/:organization/settings/api-access/revoke/:token',
  'GET /o/:organization/webhooks/:endpoint/edit',
  'GET /o/:organization/webhooks/:endpoint/secret',
  'GET /o/:organization/webhooks/new',
  'POST /me/add-passkey',
  'POST /me/calendar',
  'POST /me/remove-passkey',
  'POST /o/:organization/people/invite',
  'POST /o/:organization/people/remove',
  'POST /o/:organization/people/role',
  'POST /o/:organization/settings/api-access/revoke/:token/yes',
  'POST /o/:organization/settings/api-access/tokens',
  'POST /o/:organization/webhooks/:endpoint/edit',
  'POST /o/:organization/webhooks/:endpoint/secret',
  'POST /o/:organization/webhooks/new',
  'POST /operator/editions/hold/publish',
  'POST /operator/organizations/:id/contract',
  'POST /operator/organizations/:id/end',
  'POST /operator/organizations/:id/invite',
  'POST /operator/organizations/:id/link',
  'POST /operator/organizations/:id/withdraw',
  'POST /operator/organizations/new/save',
]

const nameOf = ({ method, path }: (typeof routes)[number]): string => `${method} ${path}`

describe('the routes of the console', () => {
  test('admit exactly the people whom the rules admit', () => {
    const admitted = routes.map((route) => [nameOf(route), route.audience])
    expect(admitted).toEqual(admitted.map(([name]) => [name, rules.find(([pattern]) => pattern.test(name!))?.[1]]))
    const used = new Set(routes.map((route) => rules.find(([pattern]) => pattern.test(nameOf(route)))))
    expect(rules.filter((rule) => !used.has(rule))).toEqual([])
  })

  test('ask for a fresh sign-in before sensitive actions only', () => {
    const sensitive = routes.filter(({ isSensitive }) => isSensitive).map(nameOf)
    expect(sensitive.sort()).toEqual(freshSignIn)
  })

  test('C118: tokens are not shown before access is set up', () => {
    const hidden = routes.filter(({ needsAccessArea }) => needsAccessArea).map(nameOf)
    expect(hidden.sort()).toEqual(
      routes
        .map(nameOf)
        .filter((name) => name.includes('/settings/api-access'))
        .sort(),
    )
    expect(hidden.length).toBeGreaterThan(3)
  })
})
