import { expect, test } from 'vitest'
import { renderDigestLetter } from './digest-letter.ts'

test('what a notice says stays on its line of a mail, and turns no letters around', () => {
  const hostile = 'Town \u202enwot\u2066\r\nBcc: eve@example.org'
  const { text } = renderDigestLetter(
    {
      content: {
        language: 'en',
        searches: [{ digestId: 'd', name: 'Roads', organization: 'Acme' }],
        count: 1,
        items: [
          {
            tenderId: 't',
            title: 'Road',
            isClosed: false,
            nutsCodes: [hostile],
            matches: [
              {
                search: 0,
                reasons: [{ clause: 'authority', reason: { code: 'authority', values: { name: hostile } } }],
                lines: [],
              },
              { search: 0, reasons: null, lines: [hostile] },
            ],
          },
        ],
      },
      person: '\u202eanna@example.org',
      at: Date.UTC(2026, 10, 30),
      leaving: undefined,
    },
    'https://tenders.example',
  )
  expect(text).toContain('Town nwot Bcc: eve@example.org')
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  expect(text).not.toMatch(/^Bcc/m)
})
