// Mails with hits as the service makes them from records: 47 tenders that 26 searches of two organizations found, named
// by the caller.
import { renderDigestLetter } from '../../src/console/mails/digest-letter.ts'
import { type DigestContent, digestContent } from '../../src/digests/digest-content.ts'
import type { RenderedMail } from '../../src/digests/send-mails.ts'
import { dayMs } from '../../src/domain/time.ts'

const at = Date.UTC(2026, 10, 30, 6)
/** What a mail lists at most, and what it brings. */
const listed = 30
export const found = 47

const origin = 'https://tenders.example.org'
const token = 't'.repeat(86)

function recordOf(index: number, name: string): object {
  return {
    title: index === 7 ? '' : `${name} ${index}`,
    contractingAuthority: { name, city: name },
    // some end soon, some later, some never
    ...(index % 5 < 4 && { submissionDate: new Date(at + index * dayMs).toISOString(), timeZone: 'Europe/Berlin' }),
    contractAmount: { value: 1_250_000 + index, currency: 'EUR', estimated: index % 2 === 0 },
    nutsCodes: ['DED21'],
    cpvCodes: ['45261210'],
    lots: [],
    originalSources: [{ publisher: 'doe', url: `https://portal.example/notices/${'n'.repeat(60)}/${index}` }],
  }
}

function matchOf(index: number, name: string): object {
  const matched = [
    { clause: 'cpv', reason: { code: 'code', values: { held: '45261210', own: '45260000', lot: null } } },
    { clause: 'authority', reason: { code: 'authority', values: { name } } },
  ]
  return { searchNo: index % 26, matched: '[]', reasons: JSON.stringify({ parts: [], rules: [], matched }) }
}

/** `name`: of organizations, searches, authorities, towns and tenders. */
export function hitLetter(name: string, language: DigestContent['language']): RenderedMail {
  const tenders = Array.from({ length: listed }, (_, index) => ({
    tenderId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    isClosed: index >= 28,
    body: index === 29 ? null : JSON.stringify(recordOf(index, name)),
    matches: JSON.stringify([matchOf(index, name), matchOf(index + 1, name)]),
  }))
  const content = digestContent({
    digests: Array.from({ length: 26 }, (_, searchNo) => ({
      digestId: `d${searchNo}`,
      organization: searchNo % 2 === 0 ? `${name} AG` : 'Roth Dachbau GmbH',
      searchNo,
      search: `${name} ${searchNo}`.slice(-200),
      lastEdition: 7,
    })),
    language,
    edition: 9,
    hits: { count: found, tenders },
    rest: [{ searchNos: [0, 1], count: found - listed }],
  })
  const leaving = {
    all: `${origin}/unsubscribe?token=${token}`,
    oneSearch: (id: string) => `${origin}/unsubscribe/search?token=${id}${token}`,
  }
  return renderDigestLetter({ content, person: 'anna@example.org', at, token, leaving }, origin, 'Vergabe & Mehr')
}
