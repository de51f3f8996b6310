import { describe, expect, test } from 'vitest'
import { hostileTexts } from '../../test/console/hostile-texts.ts'
import { acceptsCard, acceptsSlack } from '../../test/webhooks/accepted-by-chats.ts'
import { chatBody, chatKinds, chatLanguages } from './chat-body.ts'

const pages = 'https://t.example'
const message = (tender: object, change: object = {}): string =>
  JSON.stringify({
    type: 'search.hit',
    timestamp: '2026-11-22T06:01:03.120Z',
    data: {
      search: { name: 'Asphalt' },
      fitScore: 78,
      tender: { id: '0f8a1c52', title: 'Road works', ...tender },
      ...change,
    },
  })
const known = {
  contractingAuthority: { name: 'Town of Harrowmere', city: 'Harrowmere', country: 'DE' },
  submissionDate: '2026-12-04T11:00:00.000Z',
  timeZone: 'Europe/Berlin',
  contractAmount: { value: 1_250_000, currency: 'EUR', estimated: true },
}
const accepts = { slack: acceptsSlack, teams: acceptsCard }

describe.each(chatKinds)('a message of %s', (kind) => {
  test.each(chatLanguages)('shows what a bidder asks first, with a button (%s)', (language) => {
    const body = chatBody({ kind, language }, message(known), pages)
    expect(accepts[kind](body)).toEqual([])
    expect(body).toContain('Road works')
    expect(body).toContain('Town of Harrowmere, Harrowmere, DE')
    expect(body).toContain('2026-12-04 12:00')
    expect(body).toContain(language === 'de' ? '1.250.000 EUR (geschätzt)' : '1,250,000 EUR (estimated)')
    expect(body).toContain(`${pages}/tenders/0f8a1c52`)
  })

  test('leaves out what is not known, and says what changed', () => {
    const changed = message({ contractAmount: null }, { changes: ['deadline', 'merged'], mergedInto: 'other' })
    const body = chatBody({ kind, language: 'en' }, changed.replace('search.hit"', 'search.hit.changed"'), pages)
    expect(accepts[kind](body)).toEqual([])
    expect(body).toContain('Changed · Asphalt · the deadline changed, the tender was merged')
    expect(body).toContain(`${pages}/tenders/other`)
    expect(body).not.toMatch(/undefined|null,"text"|Value|until/)
  })

  test('is accepted whatever a notice says, and makes nothing of it a link or a mention', () => {
    const attacks = [...hostileTexts, '<!channel> <@U1> @everyone', '[x](https://evil.example)', '😀'.repeat(4000)]
    for (const text of attacks) {
      const tender = { title: text, contractingAuthority: { name: text, city: text, country: text }, timeZone: text }
      const body = chatBody(
        { kind, language: 'de' },
        message({ ...known, ...tender }, { search: { name: text } }),
        pages,
      )
      expect(accepts[kind](body)).toEqual([])
    }
  })

  test('tries an endpoint', () => {
    const test = JSON.stringify({ type: 'webhook.test', data: { endpoint: 'x', message: 'y' } })
    expect(accepts[kind](chatBody({ kind, language: 'en' }, test, pages))).toEqual([])
  })
})

test('the imitations refuse what the services refuse', () => {
  expect(acceptsSlack('{}')).not.toEqual([])
  expect(acceptsSlack('{"text":"<!channel>"}')).not.toEqual([])
  const long = { type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }
  expect(acceptsSlack(JSON.stringify({ text: 'a', blocks: [long] }))).not.toEqual([])
  expect(acceptsCard('{"text":"x"}')).not.toEqual([])
  const body = chatBody({ kind: 'teams', language: 'en' }, message(known), pages)
  expect(acceptsCard(body.replace('RichTextBlock', 'TextBlock'))).not.toEqual([])
  expect(acceptsCard(body.replace('Road works', 'x'.repeat(30_000)))).not.toEqual([])
})
