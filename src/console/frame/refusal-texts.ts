// Refusals of commands that buttons run, as people read them. English ones are those of the command itself.
import type { Texts } from './languages.ts'

const en = {
  noContact: () =>
    'Portals need to know who reads them: set TENDERSTOCK_CONTACT to your email address or web page, and restart.',
  readElsewhere: (source: string) =>
    `Another worker reads ${source}, or a source on the same host right now; wait until it is done and try again.`,
  stopping: () => 'The service is stopping and reads nothing; run this again when it has ended.',
  noSample: (source: string) => `This service reads sample portals, and ${source} is not one of them.`,
  needsKey: (source: string, at: string, setting: string) =>
    `${source} needs a key: get one at ${at} and set ${setting}.`,
  noQuarantine: (source: string) =>
    `The source ${source} is not in quarantine; \`tenderstock status\` lists those that are.`,
  isOne: (left: string, right: string) => `${left} and ${right} are already one record because of exact references.`,
  staysOne: (left: string, right: string) =>
    `${left} and ${right} belong together because of exact references, which no decision can undo; \`tenderstock explain ID\` shows them.`,
  joinsOther: (left: string, right: string) =>
    `The decision is stored, but another decision joins the two: \`tenderstock review show ${left} ${right}\`.`,
  separatesOther: (left: string, right: string) =>
    `The decision is stored, but another decision separates the two: \`tenderstock review show ${left} ${right}\`.`,
  undecided: (left: string, right: string) => `Nobody has decided on ${left} and ${right}; there is nothing to undo.`,
  same: () => 'Pass two different records.',
  noRecord: (name: string) =>
    `There is no record or notice "${name}"; \`tenderstock review list\` shows pairs, \`tenderstock explain ID\` the notices of a record.`,
  otherKey: (key: string) =>
    `The secrets of this stock were encrypted with a different key than ${key}; use the former key, or ` +
    'replace every secret: tenderstock webhook rotate ID --accept-new-key',
}

const de: typeof en = {
  noContact: () =>
    'Portale müssen wissen, wer sie liest: Tragen Sie Ihre E-Mail- oder Webadresse als TENDERSTOCK_CONTACT ein, und starten Sie neu.',
  readElsewhere: (source) =>
    `Ein anderer Prozess liest gerade ${source} oder eine Quelle auf demselben Rechner. Versuchen Sie es, wenn er fertig ist.`,
  stopping: () => 'Der Dienst wird gerade beendet und liest nichts. Versuchen Sie es danach noch einmal.',
  noSample: (source) => `Dieser Dienst liest Beispielportale; ${source} gehört nicht dazu.`,
  needsKey: (source, at, setting) =>
    `${source} braucht einen Schlüssel: Sie bekommen ihn auf ${at} und tragen ihn als ${setting} ein.`,
  noQuarantine: (source) =>
    `Die Quelle ${source} ist nicht in Quarantäne; \`tenderstock status\` zeigt, welche es sind.`,
  isOne: (left, right) => `${left} und ${right} sind durch genaue Verweise schon ein Datensatz.`,
  staysOne: (left, right) =>
    `${left} und ${right} gehören durch genaue Verweise zusammen; das kann keine Entscheidung aufheben. \`tenderstock explain ID\` zeigt die Verweise.`,
  joinsOther: (left, right) =>
    `Die Entscheidung ist gespeichert, aber eine andere verbindet die beiden: \`tenderstock review show ${left} ${right}\`.`,
  separatesOther: (left, right) =>
    `Die Entscheidung ist gespeichert, aber eine andere trennt die beiden: \`tenderstock review show ${left} ${right}\`.`,
  undecided: (left, right) => `Über ${left} und ${right} hat noch niemand entschieden; es gibt nichts zurückzunehmen.`,
  same: () => 'Nennen Sie zwei verschiedene Datensätze.',
  noRecord: (name) =>
    `Es gibt keinen Datensatz und keine Bekanntmachung „${name}“; \`tenderstock review list\` zeigt Paare, ` +
    '`tenderstock explain ID` die Bekanntmachungen eines Datensatzes.',
  otherKey: (key) =>
    'Die Geheimnisse dieses Bestands sind mit einem anderen Schlüssel verschlüsselt als ' +
    `${key.replace(/^the file (.+) in (.+)$/s, 'die Datei $1 in $2')}. Nehmen Sie den früheren, oder ` +
    'ersetzen Sie jedes Geheimnis: tenderstock webhook rotate ID --accept-new-key',
}

export const refusalTexts: Texts<typeof en> = { en, de }
