// Each refusal of a command is said in both languages: English as the command says it.
import { expect, test } from 'vitest'
import { lineOf } from '../../domain/lines.ts'
import { OperatorError } from '../../platform/errors.ts'
import { type Refusal, refusalLine } from '../../platform/refusal.ts'
import { html } from './html.ts'
import { refusalTexts } from './refusal-texts.ts'
import { refusalText } from './refusals.ts'

type ValuesOf<Code extends Refusal['code']> = Extract<Refusal, { readonly code: Code }>['values']
const [source, pair] = [{ source: 'one-1' }, { left: 'ted:1-2026', right: 'doe:2' }]
const samples: { readonly [Code in Refusal['code']]: ValuesOf<Code> } = {
  'no-contact': {},
  'read-elsewhere': source,
  'service-stopping': {},
  'no-sample': source,
  'needs-key': { ...source, at: 'https://x.example', setting: 'TENDERSTOCK_KEY' },
  'changed-meanwhile': {},
  'no-quarantine': source,
  'not-turned-off': source,
  'is-one': pair,
  'stays-one': pair,
  'joins-other': pair,
  'separates-other': pair,
  undecided: pair,
  'same-record': {},
  'no-record': { name: '<b>' },
  'other-key': { file: 'key', folder: '/data' },
}

test.each(Object.entries(samples))('%s', (code, values) => {
  const refusal = { code, values } as Refusal
  const error = { refusal, message: refusalLine(refusal) }
  expect(refusalText(error, 'en')).toBe(error.message)
  const german = refusalText(error, 'de')
  expect(german).toBe(lineOf(refusalTexts.de, refusal))
  expect(german).not.toBe(error.message)
  for (const value of Object.values(values) as string[]) {
    expect(german).toContain(value)
    expect(error.message).toContain(value)
  }
})

test('a message without a code is shown as it is, marked as English', () => {
  const error = new OperatorError('disk-full', 'There is no <disk> space left.')
  expect(html`${refusalText(error, 'de')}`.text).toBe('<bdi lang="en">There is no &lt;disk&gt; space left.</bdi>')
})
