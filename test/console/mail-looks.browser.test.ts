// Every mail in Chromium, at three widths, light and dark, in both languages, with hostile texts: it overflows nowhere,
// and breaks no rule of axe. `SCREENS=folder` stores pictures of them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccountMail, renderAccountMail } from '../../src/console/mails/account-mails.ts'
import { inColor } from '../../src/console/mails/mail-frame.ts'
import type { RenderedMail } from '../../src/digests/send-mails.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { hitLetter } from './hit-letters.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const screens = process.env['SCREENS']
const at = Date.UTC(2026, 10, 23, 8)
const widths = [320, 600, 800]
/** The mail program around a mail has the landmarks. */
const withoutLandmarks = { region: { enabled: false }, 'landmark-one-main': { enabled: false } }

const names = {
  plain: 'Roth Dachbau GmbH',
  long: 'Donaudampfschifffahrt'.repeat(15).slice(0, 300),
  rightToLeft: 'شركة البناء للطرق والجسور 123',
} as const

function mailsNamed(name: string): readonly AccountMail[] {
  const organization = { organizationId: 'o', organization: name }
  const token = { ...organization, name, hint: 'tdr_live_…abcd', actor: 'anna@example.org', expiresAt: at + 8e7 }
  const endpoint = { ...organization, endpointId: 'e', name, failingSince: at }
  const incident = {
    about: 'incident',
    personId: 'p',
    incidentId: 'i',
    startedAt: at,
    at: at + 4e6,
    title: name,
  } as const
  const detail = `${name}\n\nThe portals answer slowly. Your copies stay right, and the next edition brings what is new.`
  const asked = { quoteId: 'q', name, company: name, mail: 'anna@example.org', message: `${name}\n${name}` } as const
  return (['en', 'de'] as const).flatMap((language): AccountMail[] => [
    { kind: 'signIn', language, data: { return: `/${name}` } },
    { kind: 'invitation', language, data: { invitationId: 'i', organization: name, invitedBy: name, role: 'owner' } },
    { kind: 'tokenCreated', language, data: token },
    { kind: 'tokenRevoked', language, data: token },
    { kind: 'tokenEnds', language, data: { ...token, actor: null } },
    { kind: 'webhookFails', language, data: { ...endpoint, why: null } },
    { kind: 'webhookDisabled', language, data: { ...endpoint, why: 'failing' } },
    {
      kind: 'lettersEnded',
      language,
      data: { ...organization, person: `${name}@example.org`, error: `550 5.1.1 ${name}` },
    },
    { kind: 'passkeyBlocked', language, data: { name, at, addressPrefix: '2001:db8::/48' } },
    { kind: 'quoteAsked', language, data: { ...asked, needs: ['search', 'api', 'webhooks', 'files'], language } },
    { kind: 'statusNews', language, data: { ...incident, event: 'began', detail } },
    { kind: 'statusNews', language, data: { ...incident, event: 'changed', detail } },
    { kind: 'statusNews', language, data: { ...incident, event: 'ended', detail } },
    { kind: 'statusNews', language, data: { about: 'maintenance', personId: 'p', event: 'began', until: at, at } },
  ])
}

type Drawn = {
  readonly kind: AccountMail['kind'] | 'hits'
  readonly language: 'en' | 'de'
  readonly mail: RenderedMail
  /** It ends with a name, which may be cut. */
  readonly endsWithName: boolean
}

const where = { origin: 'https://tenders.example.org', key: 'k'.repeat(43), name: 'Vergabe & Mehr' }
const leave = `${where.origin}/unsubscribe/status?token=${'t'.repeat(86)}`

const drawnNamed = (name: string): readonly Drawn[] => [
  ...mailsNamed(name).map((each): Drawn => {
    const { kind, language } = each
    const isNews = kind === 'statusNews'
    const mail = renderAccountMail(each, isNews ? { ...where, leave } : where)
    return { kind, language, mail, endsWithName: isNews }
  }),
  ...(['en', 'de'] as const).map(
    (language): Drawn => ({ kind: 'hits', language, mail: hitLetter(name, language), endsWithName: true }),
  ),
]

describe.skipIf(!hasChromium)('mails', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  test.each(['light', 'dark'] as const)(
    'fit their window and break no rule of axe (%s)',
    async (scheme) => {
      const page = await browser.newPage({ colorScheme: scheme })
      const wrong: string[] = []
      for (const [kindOfName, name] of Object.entries(names))
        for (const [index, { kind, language, mail, endsWithName }] of drawnNamed(name).entries()) {
          // every other one as a service with a color of its own sends it
          const { html } = inColor(mail, index % 2 === 0 ? undefined : '#8a1c5b')
          await page.setContent(html)
          const heading = (await page.textContent('h1'))!
          if (!endsWithName && heading.endsWith('…')) wrong.push(`cut: ${heading}`)
          const direction = await page.evaluate('getComputedStyle(document.querySelector("h1")).direction')
          if (direction !== 'ltr') wrong.push(`${kind} reads from the right: ${heading}`)
          for (const width of widths) {
            await page.setViewportSize({ width, height: 700 })
            const called = `${kind} ${language} ${kindOfName} ${scheme} ${width}`
            const over = await page.evaluate(
              'document.documentElement.scrollWidth - document.documentElement.clientWidth',
            )
            if (over !== 0) wrong.push(`${called} overflows by ${over}`)
            if (screens && (kind === 'hits' || index < 14)) {
              const file = `${index}-${kind}-${kindOfName}-${scheme}-${width}.png`
              await page.screenshot({ path: join(screens, file), fullPage: true })
            }
          }
          // the rules do not depend on names: the longest ones of one language suffice
          if (language === 'de' || kindOfName !== 'long') continue
          await page.evaluate(axe)
          const rules = JSON.stringify({ rules: withoutLandmarks })
          const broken = (await page.evaluate(
            `axe.run(${rules}).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))`,
          )) as string[]
          wrong.push(...broken.map((each) => `${kind} ${language} ${kindOfName} ${scheme}: ${each}`))
        }
      expect(wrong).toEqual([])
      await page.close()
    },
    300_000,
  )
})
