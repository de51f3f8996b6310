import { expect, test } from 'vitest'
import { deskTexts } from '../desk/desk-texts.ts'
import { meTexts } from '../people/me-texts.ts'
import { type AccountMail, renderAccountMail } from './account-mails.ts'

const at = Date.UTC(2026, 10, 23, 9)
const where = { origin: 'https://tenders.example', key: '' }

/** As long as the form allows: paragraphs of two lines of 400 characters. */
const written = Array.from({ length: 4 }, (_, index) => `${`${index} word`.repeat(60)}\r\nsecond ${'a'.repeat(390)}`)
  .join('\r\n \r\n\r\n')
  .concat('\r\n\u202ean end <b>\r\n')
const asLines = written.replaceAll('\r', '').replaceAll('\n \n\n', '\n\n').replace('\u202e', '').trim()

const incident = { about: 'incident', event: 'began', incidentId: 'i', title: 'Late', startedAt: at } as const
const asked = { quoteId: 'q', name: 'A', company: 'B', mail: 'a@b.example', needs: [] } as const
const news = { kind: 'statusNews', language: 'en', data: { ...incident, detail: written, personId: 'p', at } } as const
const quote = { kind: 'quoteAsked', language: 'en', data: { ...asked, message: written, language: 'en' } } as const

test.each<AccountMail>([news, quote])('what people write is in the mail with its paragraphs and lines: %o', (mail) => {
  const { text, html } = renderAccountMail(mail, where)
  expect(text).toContain(`\n\n${asLines}\n\n`)
  expect([...html.matchAll(/<p [^>]*>([^<]+<br>.*?)<\/p>/g)].map(([, lines]) => lines)).toEqual(
    asLines.split('\n\n').map((lines) => lines.replaceAll('\n', '<br>').replace('<b>', '&lt;b&gt;')),
  )
})

test('the API answers again by a time', () => {
  for (const event of ['began', 'changed'] as const) {
    const data = { about: 'maintenance', event, until: at, personId: 'p', at } as const
    const { text } = renderAccountMail({ kind: 'statusNews', language: 'en', data }, where)
    expect(text).toContain('The API answers again by 23 Nov 2026, 09:00 UTC.')
  }
})

test('mails that ended lose nothing for the 30 days for which their mails are kept', () => {
  const data = { organizationId: 'o', organization: 'Acme', person: 'a@b.example', error: '550' }
  for (const language of ['en', 'de'] as const) {
    const { text } = renderAccountMail({ kind: 'lettersEnded', language, data }, where)
    for (const each of [text, meTexts[language].letterEndedDetail]) expect(each).toMatch(/for 30 days|30 Tage lang/)
  }
})

test('operators read that mails are given up where the server refuses them, and not while it is away', () => {
  const [en, de] = [deskTexts.en.mailsLate('550'), deskTexts.de.mailsLate('550')]
  expect(en).toMatch(/away, .* never given up\. A mail that it refuses is given up after 15 hours to five days\./)
  expect(de).toMatch(
    /fehlt, .* nie aufgegeben\. Lehnt er eine ab, wird sie nach 15 Stunden bis fünf Tagen aufgegeben\./,
  )
})
