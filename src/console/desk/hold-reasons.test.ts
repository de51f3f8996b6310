// Each reason of the gate is said in both languages, with its figure and its bound.
import { expect, test } from 'vitest'
import { type HoldReason, holdLine } from '../../domain/hold-reason.ts'
import { html } from '../frame/html.ts'
import { holdReasons } from './hold-reasons.ts'

type ValuesOf<Code extends HoldReason['code']> = Extract<HoldReason, { readonly code: Code }>['values']
const sourceId = 'doe'
const samples: {
  readonly [Code in HoldReason['code']]: readonly [values: ValuesOf<Code>, german: string, others?: object]
} = {
  'no-records': [{}, 'Es gibt noch keine Datensätze, die erscheinen könnten.'],
  'lost-redactions': [
    { ids: ['ab12', 'cd34'] },
    '2 Schwärzungen (ab12, cd34) wurden ohne den geheimen Schlüssel wiederhergestellt; ihre Werte werden nicht mehr ' +
      'erkannt: Wiederholen Sie `tenderstock redact` für jede dieser Personen, und veröffentlichen Sie dann mit ' +
      '--override-gate.',
  ],
  rejections: [
    { rejected: 90, documents: 200, most: 0.1 },
    '90 von 200 Dokumenten seit der letzten Ausgabe wurden abgelehnt: Vielleicht hat ein Portal sein Format ' +
      'geändert.',
    { figure: '45 %', bound: '10 %' },
  ],
  archiving: [
    { live: 38_400, cancelled: 9, merged: 3602, most: 0.05 },
    '3611 von 38400 laufenden Datensätzen würden auf einmal archiviert, 9 als aufgehoben und 3602 als zusammengelegt.',
    { figure: '9 %', bound: '5 %' },
  ],
  'source-loss': [
    { sourceId, before: 800, after: 200, most: 0.2 },
    'doe würde von 200 Datensätzen genannt statt von 800.',
    { figure: '75 %', bound: '20 %', sourceId },
  ],
  'rules-changed': [
    { rules: ['parsers', 'acts'], live: 38_400, cancelled: 9, merged: 3602 },
    'Der Bestand wurde nach Änderungen dieser Regeln neu abgeleitet: parsers, acts. Von 38400 laufenden Datensätzen ' +
      'werden 9 als aufgehoben und 3602 als zusammengelegt archiviert.',
  ],
  silence: [
    { sourceId, days: 6, activeDays: 12 },
    'Die Quelle doe antwortet, hat aber seit 6 Tagen nichts Neues geliefert, nach Dokumenten an 12 der Tage davor: ' +
      'Vielleicht hat sich ihre Adresse oder ihre Liste geändert.',
    { sourceId },
  ],
  alarm: [
    { sourceId, kind: 'silent', detail: 'It went silent.', share: 1 },
    'Die Quelle doe antwortet, liefert aber zu lange nichts Neues: Vielleicht hat sich ihre Adresse oder ihre Liste ' +
      'geändert.',
    { sourceId },
  ],
}
/** In how many ways a reason is worded; the others have columns for shares. */
const columns = ['rejections', 'archiving', 'source-loss']

test.each(Object.entries(samples))('%s', (code, [values, german, others = {}]) => {
  const reason = { code, values } as HoldReason
  const hold = { reasons: ['as it is stored'], causes: [reason] }
  expect(holdReasons(hold, 'de')).toEqual([{ sentence: german, ...others }])
  const [english] = holdReasons(hold, 'en')
  expect(english).toMatchObject(others)
  expect(english!.sentence).not.toBe(german)
  if (!columns.includes(code)) expect(english!.sentence).toBe(holdLine(reason))
})

test('missing notices are named by their share, and another alarm as one', () => {
  const shown = (kind: string, share: number) =>
    holdReasons({ reasons: [''], causes: [{ code: 'alarm', values: { sourceId, kind, share, detail: '' } }] }, 'de')[0]!
      .sentence
  expect(shown('totals', 0.25)).toBe('Der Quelle doe fehlen 25 % der Bekanntmachungen, die ihr Portal angekündigt hat.')
  expect(shown('drift', 0)).toBe('Die Quelle doe hat einen Alarm.')
})

test('a sentence that an older version stored, or a newer one by a code of its own, is shown as it is', () => {
  const reasons = ['The source <doe>: It went silent.']
  const newer = [{ code: 'toString', values: {} }] as never
  for (const causes of [null, [], newer])
    expect(html`${holdReasons({ reasons, causes }, 'de')[0]!.sentence}`.text).toBe(
      '<bdi lang="en">The source &lt;doe&gt;: It went silent.</bdi>',
    )
})
