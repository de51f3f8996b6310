import { expect, test } from 'vitest'
import { overviewTexts } from './overview-texts.ts'

test.each([0, 1, 2, 1234])('what needs attention and what waits, for %d', (count) => {
  for (const language of ['en', 'de'] as const) {
    const { needs, endpointWaits } = overviewTexts[language]
    const [none, one] = language === 'en' ? [/^Nothing /, /^One /] : [/^(?:Nichts|Es gibt nichts) /, /^Eine?s? /]
    const texts = [needs(count), endpointWaits(count)]
    for (const text of texts) {
      expect(none.test(text), text).toBe(count === 0)
      if (count === 0) expect(text).not.toMatch(/\d/)
    }
    expect(one.test(needs(count)), needs(count)).toBe(count === 1)
    if (count > 1) for (const text of texts) expect(text.replace(/\D/g, '')).toBe(String(count))
  }
})
