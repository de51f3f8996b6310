import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSpellingIn, spellingsOf, tokensOf } from '../../domain/words.ts'
import { html } from '../frame/html.ts'
import { marked, pieceAround, spansIn } from './highlight.ts'

const shown = (text: string, words: readonly string[]) => html`${marked(text, spansIn(text, words))}`.text

describe('what a word found is marked', () => {
  test.each([
    ['Asphaltarbeiten und Gussasphalt', ['asphalt'], '<mark>Asphalt</mark>arbeiten und Guss<mark>asphalt</mark>'],
    ['Asphaltarbeiten', ['asphaltarbeiten'], '<mark>Asphaltarbeiten</mark>'],
    ['Straßenbau', ['strassen'], '<mark>Straßen</mark>bau'],
    ['Hauptstraße', ['strasse'], 'Haupt<mark>straße</mark>'],
    ['Brückenbau, Bruecke', ['brücke'], '<mark>Brücke</mark>nbau, <mark>Bruecke</mark>'],
    ['Bru\u0308ckenbau', ['brücke'], '<mark>Bru\u0308cke</mark>nbau'],
    ['Neubau, Bau', ['bau'], 'Neubau, <mark>Bau</mark>'],
    ['<b>dach</b> & Dach', ['dach'], '&lt;b&gt;<mark>dach</mark>&lt;/b&gt; &amp; <mark>Dach</mark>'],
    ['Dach\u00adsanierung', ['sanierung', 'dachsa'], 'Dach\u00ad<mark>sanierung</mark>'],
    ['nothing', [], 'nothing'],
  ])('%s, %j', (text, words, expected) => {
    expect(shown(text, words)).toBe(expected)
  })

  test('as many tokens as the search finds, and the text itself stays', () => {
    const letters = fc.constantFrom(...'aeßüäÄ -ñx\u0308', 'bau', 'dach')
    const texts = fc.array(letters, { maxLength: 30 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, fc.constantFrom('bau', 'dach', 'dachbau', 'ßbauß', 'aeaea'), (text, word) => {
        const spans = spansIn(text, [word])
        const found = tokensOf(text).filter((token) => spellingsOf(word).some((each) => isSpellingIn(each, token)))
        expect(spans.length).toBe(found.length)
        expect(spans.map(({ from, to }) => text.slice(from, to)).every((piece) => piece !== '')).toBe(true)
        expect(shown(text, [word]).replace(/<\/?mark>/g, '')).toBe(html`${text}`.text)
      }),
    )
  })
})

test('a piece of a long text holds the first word found, and says where it was cut', () => {
  const long = `${'Lieferung von Sand. '.repeat(20)}Sanierung des Daches ${'und mehr davon. '.repeat(40)}`
  const piece = html`${pieceAround(long, ['daches'])}`.text
  expect(piece).toContain('<mark>Daches</mark>')
  expect(piece).toMatch(/^… .* …$/)
  expect(piece.length).toBeLessThan(300)
  expect(pieceAround(long, ['fenster'])).toBeUndefined()
  expect(html`${pieceAround('Das Dach', ['dach'])}`.text).toBe('Das <mark>Dach</mark>')
})
