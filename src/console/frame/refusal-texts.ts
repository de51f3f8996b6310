// Refusals of commands that buttons run, as people read them. English ones are those of the command itself.
import type { Lines } from '../../domain/lines.ts'
import { type Refusal, refusalLines } from '../../platform/refusal.ts'
import type { Texts } from './languages.ts'

const de = {
  'no-contact': () =>
    'Portale müssen wissen, wer sie liest: Tragen Sie Ihre E-Mail- oder Webadresse als TENDERSTOCK_CONTACT ein, und starten Sie neu.',
  'read-elsewhere': ({ source }) =>
    `Ein anderer Prozess liest gerade ${source} oder eine Quelle auf demselben Rechner. Versuchen Sie es, wenn er fertig ist.`,
  'service-stopping': () => 'Der Dienst wird gerade beendet und liest nichts. Versuchen Sie es danach noch einmal.',
  'no-sample': ({ source }) => `Dieser Dienst liest Beispielportale; ${source} gehört nicht dazu.`,
  'needs-key': ({ source, at, setting }) =>
    `${source} braucht einen Schlüssel: Sie bekommen ihn auf ${at} und tragen ihn als ${setting} ein.`,
  'changed-meanwhile': () => 'Das hat inzwischen jemand geändert. Sehen Sie es an, und entscheiden Sie noch einmal.',
  'no-quarantine': ({ source }) =>
    `Die Quelle ${source} ist nicht in Quarantäne; \`tenderstock status\` zeigt, welche es sind.`,
  'not-turned-off': ({ source }) => `${source} ist nicht abgeschaltet.`,
  'is-one': ({ left, right }) => `${left} und ${right} sind durch genaue Verweise schon ein Datensatz.`,
  'stays-one': ({ left, right }) =>
    `${left} und ${right} gehören durch genaue Verweise zusammen; das kann keine Entscheidung aufheben. \`tenderstock explain ID\` zeigt die Verweise.`,
  'joins-other': ({ left, right }) =>
    `Die Entscheidung ist gespeichert, aber eine andere verbindet die beiden: \`tenderstock review show ${left} ${right}\`.`,
  'separates-other': ({ left, right }) =>
    `Die Entscheidung ist gespeichert, aber eine andere trennt die beiden: \`tenderstock review show ${left} ${right}\`.`,
  undecided: ({ left, right }) =>
    `Über ${left} und ${right} wurde noch nicht entschieden; es gibt nichts zurückzunehmen.`,
  'same-record': () => 'Nennen Sie zwei verschiedene Datensätze.',
  'no-record': ({ name }) =>
    `Es gibt keinen Datensatz und keine Bekanntmachung „${name}“; \`tenderstock review list\` zeigt Paare, ` +
    '`tenderstock explain ID` die Bekanntmachungen eines Datensatzes.',
  'other-key': ({ file, folder }) =>
    `Die Geheimnisse dieses Bestands sind mit einem anderen Schlüssel verschlüsselt als ` +
    `${file === null ? 'TENDERSTOCK_SECRET_KEY' : `die Datei ${file} in ${folder}`}. ` +
    'Nehmen Sie den früheren, oder ersetzen Sie jedes Geheimnis: tenderstock webhook rotate ID --accept-new-key',
} satisfies Lines<Refusal>

export const refusalTexts: Texts<Lines<Refusal>> = { en: refusalLines, de }
