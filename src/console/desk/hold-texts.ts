// Why the gate held an edition back, as the pages of editions say it: shares and limits have columns of their own.
import { type HoldReason, holdLines, percent } from '../../domain/hold-reason.ts'
import type { Lines } from '../../domain/lines.ts'
import type { Texts } from '../frame/languages.ts'

const en = {
  ...holdLines,
  rejections: ({ rejected, documents }) =>
    `${rejected} of ${documents} documents received since the last edition were rejected: a portal may have changed its format.`,
  archiving: ({ live, cancelled, merged }) =>
    `${cancelled + merged} of ${live} live records would be archived at once, ${cancelled} as cancelled and ${merged} as merged.`,
  'source-loss': ({ sourceId, before, after }) =>
    `${sourceId} would be named by ${after} records instead of ${before}.`,
} satisfies Lines<HoldReason>

const de = {
  'no-records': () => 'Es gibt noch keine Datensätze, die erscheinen könnten.',
  'lost-redactions': ({ ids }) =>
    `${ids.length} Schwärzungen (${ids.join(', ')}) wurden ohne den geheimen Schlüssel wiederhergestellt; ` +
    'ihre Werte werden nicht mehr erkannt: Wiederholen Sie `tenderstock redact` für jede dieser Personen, ' +
    'und veröffentlichen Sie dann mit --override-gate.',
  rejections: ({ rejected, documents }) =>
    `${rejected} von ${documents} Dokumenten seit der letzten Ausgabe wurden abgelehnt: Vielleicht hat ein Portal sein Format geändert.`,
  archiving: ({ live, cancelled, merged }) =>
    `${cancelled + merged} von ${live} laufenden Datensätzen würden auf einmal archiviert, ${cancelled} als aufgehoben und ${merged} als zusammengelegt.`,
  'source-loss': ({ sourceId, before, after }) =>
    `${sourceId} würde von ${after} Datensätzen genannt statt von ${before}.`,
  'rules-changed': ({ rules, live, cancelled, merged }) =>
    `Der Bestand wurde nach Änderungen dieser Regeln neu abgeleitet: ${rules.join(', ')}. ` +
    `Von ${live} laufenden Datensätzen werden ${cancelled} als aufgehoben und ${merged} als zusammengelegt archiviert.`,
  silence: ({ sourceId, days, activeDays }) =>
    `Die Quelle ${sourceId} antwortet, hat aber seit ${days} Tagen nichts Neues geliefert, nach Dokumenten ` +
    `an ${activeDays} der Tage davor: Vielleicht hat sich ihre Adresse oder ihre Liste geändert.`,
  alarm: ({ sourceId, kind, share }) =>
    kind === 'silent'
      ? `Die Quelle ${sourceId} antwortet, liefert aber zu lange nichts Neues: Vielleicht hat sich ihre Adresse oder ihre Liste geändert.`
      : kind === 'totals'
        ? `Der Quelle ${sourceId} fehlen ${percent(share)} der Bekanntmachungen, die ihr Portal angekündigt hat.`
        : `Die Quelle ${sourceId} hat einen Alarm.`,
} satisfies Lines<HoldReason>

export const holdTexts: Texts<Lines<HoldReason>> = { en, de }
