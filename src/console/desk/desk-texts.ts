// Texts of the operator's first screen.
import type { FirstReading } from '../../domain/source-state.ts'
import { type RoundFailure, type Stage, stageNames } from '../../store/nodes/rounds.ts'
import { counted } from '../frame/format.ts'
import { withShared } from '../frame/shared-texts.ts'

const alarmKinds = [
  'silent',
  'totals',
  'counts',
  'rejections',
  'drift',
  'fill',
  'contents',
  'outcomes',
  'winners',
] as const
export type AlarmKind = (typeof alarmKinds)[number]
export const isAlarmKind = (kind: string): kind is AlarmKind => (alarmKinds as readonly string[]).includes(kind)

const germanStages: { readonly [stage in Stage]: string } = {
  'finish-publication': 'eine begonnene Veröffentlichung abschließen',
  'read-files': 'die angegebenen Bekanntmachungen lesen',
  'read-samples': 'die Beispielportale lesen',
  'store-deliveries': 'speichern, was Portale liefern',
  rebuild: 'den Bestand neu aufbauen',
  consolidate: 'Bekanntmachungen zusammenführen',
  estimate: 'Werte schätzen',
  'watch-sources': 'die Quellen überwachen',
  publish: 'veröffentlichen',
  'count-outcomes': 'zählen, was veröffentlicht wurde',
  'plant-hold': 'eine Ausgabe der Beispiele zurückhalten',
}

const en = {
  lead: (all: number, holding: number, at: string) => {
    const things =
      all === 0 ? 'Nothing needs attention' : all === 1 ? 'One thing needs attention' : `${all} things need attention`
    const some = `, ${holding} of them ${holding === 1 ? 'holds' : 'hold'} something up`
    const held = holding === 0 ? '' : all === 1 ? '; it holds something up' : some
    return `${things}${held}. Checked at ${at} UTC.`
  },
  none: 'None yet',
  noneNote: 'the first one follows the first notices',
  firstReading: ({ total, read, failing, waitsFor }: FirstReading, number: (value: number) => string) =>
    [
      `read ${number(read)} of ${counted(number(total), 'portal', 'portals')}`,
      ...(failing > 0 ? [`${number(failing)} ${failing === 1 ? 'fails' : 'fail'}`] : []),
      ...(waitsFor.length > 0 ? [`not yet: ${waitsFor.join(', ')}`] : []),
    ].join(', '),
  latestNote: 'at the latest',
  next: 'Next edition',
  held: 'Held back',
  heldNote: (since: string) => `since ${since} UTC`,
  due: (at: string) => `${at} UTC`,
  dueNote: 'at the earliest, when something changed',
  quiet: 'Sources on time',
  of: (all: string) => `of ${all}`,
  openAlarms: (count: string) => counted(count, 'open alarm', 'open alarms'),
  waitingPairs: 'Pairs for review',
  oneRecord: (count: string) => `${count} of them in one record`,
  holding: 'Holds something up',
  holdingNote: 'Customers notice these.',
  watch: 'Watch',
  watchNote: 'Customers do not notice these yet.',
  inOrder: 'In order',
  passed: (count: number) => `${count} checks passed`,
  check: 'Check',
  bound: 'Bound',
  nothing: 'Nothing is wrong',
  nothingBody: 'Whatever needs your attention will appear here.',
  since: (moment: string, ago: string) => `since ${moment} UTC, ${ago}`,
  ends: (moment: string, ago: string) => `${moment} UTC, ${ago}`,
  seenBy: (who: string) => `acknowledged by ${who}`,
  notSeen: 'not acknowledged',
  words: {
    held: 'Held back',
    bad: 'Failing',
    silent: 'Silent',
    late: 'Incomplete',
    soon: 'Soon',
    many: 'Waiting',
    clock: 'Clock',
    disk: 'Full',
    old: 'Old',
    closed: 'Closed',
    missing: 'Missing',
  },
  quotes: (count: string) => counted(count, 'company asks for a quote', 'companies ask for a quote'),
  quotesBody: 'Accept to set up contract and invitation, or decline.',
  seeQuotes: 'See the requests',
  imprint: 'No page says who runs this service',
  imprintBody: 'Others reach this console. Many countries require an imprint: set TENDERSTOCK_IMPRINT_URL.',
  seeSettings: 'See the settings',
  maintenance: 'The API is closed for maintenance',
  maintenanceBody:
    'Clients receive 503 with the remaining time, and return automatically. `tenderstock maintenance off` opens it now.',
  hold: (edition: string) => `Edition ${edition} waits for a decision`,
  holdBody: (reasons: number) =>
    `The gate held it back for ${reasons === 1 ? 'one reason' : `${reasons} reasons`}. Customers still ` +
    'receive the last edition; the status page calls it late.',
  holdTimes: (count: string) => `tried ${counted(count, 'time', 'times')}`,
  rounds: 'Rounds are failing',
  roundsWhy: ({ code, stage }: RoundFailure): string => {
    if (code === 'rounds-overdue')
      return 'No round has finished for hours: the service that ran them hangs or has died. Read its log and restart it.'
    if (code === 'database-lost') return 'The connection to the database broke.'
    return stage === null ? 'A round failed.' : `${stageNames[stage]} fails.`
  },
  roundsBody: 'It is tried again and again; nothing new is published until a round succeeds.',
  roundsCount: (count: string) => `${count} in a row`,
  seeEditions: 'See the editions',
  old: (age: string) => `The newest edition was published ${age}`,
  oldBody: 'Either nothing changes at any portal, or nothing arrives. Check the sources.',
  seeSources: 'See the sources',
  alarm: {
    silent: (source: string) => `${source} delivers nothing`,
    totals: (source: string) => `${source} announced more than it delivered`,
    counts: (source: string) => `${source} delivers an unusual number`,
    rejections: (source: string) => `Many documents of ${source} are rejected`,
    drift: (source: string) => `${source} changed its format`,
    fill: (source: string) => `Notices of ${source} wait in quarantine`,
    contents: (source: string) => `Records of ${source} contradict themselves`,
    outcomes: (source: string) => `Tenders of ${source} end differently than before`,
    winners: (source: string) => `A winner of ${source} is not a company`,
  } satisfies { [kind in AlarmKind]: (source: string) => string },
  otherAlarm: (source: string) => `${source} has an alarm`,
  failing: (count: string, active: string) => `${count} of ${active} active sources deliver nothing`,
  openSource: 'Open the source',
  noBackup: 'There is no backup',
  oldBackup: (age: string) => `The newest backup was made ${age}`,
  noDrill: 'No backup was ever restored for a trial',
  oldDrill: (age: string) => `The newest backup that was restored for a trial was made ${age}`,
  drillBody: 'It is unknown whether the newer ones can be restored.',
  backupBody: 'If this machine is lost, everything since then is lost with it.',
  seeBackup: 'How to back up',
  mails: (count: string) => counted(count, 'mail waits', 'mails wait'),
  mailsOff:
    'No mail server is configured. They are sent as soon as TENDERSTOCK_SMTP_URL and TENDERSTOCK_MAIL_FROM ' +
    'are set. Sign-in links do not arrive; `tenderstock console link MAIL` prints one.',
  mailsLate: (error: string) =>
    `The mail server does not accept them: ${error}. While it is away, each is tried at least every hour and never ` +
    'given up. A mail that it refuses is given up after 15 hours to five days. Sign-in links by mail do not arrive; ' +
    'passkeys work.',
  mailsLateNoError:
    'They have been waiting for more than ten minutes. Sign-in links by mail do not arrive; passkeys work.',
  givenUp: (count: string) => counted(count, 'mail was given up', 'mails were given up'),
  givenUpBody: (error: string) => `The last answer was: ${error}. They will not be sent again.`,
  seeOrganizations: 'See the organizations',
  disabled: (count: string) => counted(count, 'webhook endpoint is disabled', 'webhook endpoints are disabled'),
  disabledBody:
    'Their messages are held, and nothing is lost for 30 days. Tell their Owners: they see it only in the console.',
  failingHooks: (count: string) => counted(count, 'webhook endpoint is failing', 'webhook endpoints are failing'),
  failingHooksBody: 'Messages are retried for three days; after five days of failures an endpoint is disabled.',
  clock: 'A clock is wrong',
  disk: (free: string) => `The disk has ${free} left`,
  diskBody: 'Without space nothing is received and nothing is published. Make room, or move the data folder.',
  contract: (name: string, when: string) => `The contract of ${name} ends ${when}`,
  contractBody: (tokens: number) =>
    `${tokens === 1 ? 'One token is' : `${tokens} tokens are`} valid. After the end the API answers 403.`,
  openContract: 'Open the contract',
  reviews: (count: string) => counted(count, 'pair waits for review', 'pairs wait for review'),
  reviewsBody: 'They stay separate until an operator decides.',
  review: 'Review',
  doubts: (count: string) => `${counted(count, 'record holds', 'records hold')} notices that contradict each other`,
  doubtsBody: 'Their notices name different contracts. Split them, or confirm that they belong together.',
  checks: {
    maintenance: 'Maintenance',
    gate: 'Gate',
    edition: 'Age of the newest edition',
    rounds: 'Rounds in a row that failed',
    sources: 'Sources that fail',
    backup: 'Age of the newest backup',
    drill: 'Age of the newest backup restored for a trial',
    alarms: 'Open alarms of sources',
    quotes: 'Open requests for a quote',
    imprint: 'Imprint, if others reach the console',
    mails: 'Waiting mails',
    givenUp: 'Mails given up',
    webhooks: 'Webhook endpoints failing or disabled',
    clocks: 'Clocks',
    disk: 'Free disk space',
    contracts: 'Contracts that end in 30 days',
    reviews: 'Pairs for review',
    doubts: 'Records in doubt',
  },
  open: 'open',
  passes: 'passes',
  right: 'right',
  atLeast: (figure: string) => `at least ${figure}`,
  hours: (figure: string) => `${figure} h`,
  more: (figure: string) => `${figure} or more`,
}

const de: typeof en = {
  lead: (all, holding, at) => {
    const things =
      all === 0
        ? 'Es gibt nichts zu tun'
        : all === 1
          ? 'Ein Punkt braucht Aufmerksamkeit'
          : `${all} Punkte brauchen Aufmerksamkeit`
    const some = `, ${holding} davon ${holding === 1 ? 'hält' : 'halten'} etwas auf`
    const held = holding === 0 ? '' : all === 1 ? '; er hält etwas auf' : some
    return `${things}${held}. Geprüft um ${at} UTC.`
  },
  none: 'Noch keine',
  noneNote: 'die erste folgt den ersten Bekanntmachungen',
  firstReading: ({ total, read, failing, waitsFor }, number) =>
    [
      `${number(read)} von ${counted(number(total), 'Portal', 'Portalen')} gelesen`,
      ...(failing > 0 ? [`${number(failing)} gestört`] : []),
      ...(waitsFor.length > 0 ? [`noch nicht: ${waitsFor.join(', ')}`] : []),
    ].join(', '),
  latestNote: 'spätestens',
  next: 'Nächste Ausgabe',
  held: 'Zurückgehalten',
  heldNote: (since) => `seit ${since} UTC`,
  due: (at) => `${at} UTC`,
  dueNote: 'frühestens, wenn sich etwas geändert hat',
  quiet: 'Pünktliche Quellen',
  of: (all) => `von ${all}`,
  openAlarms: (count) => counted(count, 'offener Alarm', 'offene Alarme'),
  waitingPairs: 'Paare zu prüfen',
  oneRecord: (count) => `${count} davon in einem Datensatz`,
  holding: 'Hält etwas auf',
  holdingNote: 'Diese Punkte merken Kunden.',
  watch: 'Im Auge behalten',
  watchNote: 'Diese Punkte merken Kunden noch nicht.',
  inOrder: 'In Ordnung',
  passed: (count) => `${count} Prüfungen bestanden`,
  check: 'Prüfung',
  bound: 'Grenze',
  nothing: 'Alles in Ordnung',
  nothingBody: 'Was Ihre Aufmerksamkeit braucht, erscheint hier.',
  since: (moment, ago) => `seit ${moment} UTC, ${ago}`,
  ends: (moment, ago) => `${moment} UTC, ${ago}`,
  seenBy: (who) => `bestätigt von ${who}`,
  notSeen: 'nicht bestätigt',
  words: {
    held: 'Zurückgehalten',
    bad: 'Gestört',
    silent: 'Stumm',
    late: 'Lückenhaft',
    soon: 'Bald',
    many: 'Wartet',
    clock: 'Uhr',
    disk: 'Voll',
    old: 'Alt',
    closed: 'Geschlossen',
    missing: 'Fehlt',
  },
  quotes: (count) => counted(count, 'Unternehmen fragt nach einem Angebot', 'Unternehmen fragen nach einem Angebot'),
  quotesBody: 'Nehmen Sie an, um Vertrag und Einladung einzurichten, oder lehnen Sie ab.',
  seeQuotes: 'Zu den Anfragen',
  imprint: 'Keine Seite sagt, wer diesen Dienst betreibt',
  imprintBody:
    'Andere erreichen diese Konsole. Viele Länder verlangen ein Impressum: Setzen Sie TENDERSTOCK_IMPRINT_URL.',
  seeSettings: 'Zu den Einstellungen',
  maintenance: 'Die API ist für Wartung geschlossen',
  maintenanceBody:
    'Clients bekommen 503 mit der restlichen Zeit und versuchen es von selbst erneut. `tenderstock maintenance off` öffnet sie jetzt.',
  hold: (edition) => `Ausgabe ${edition} wartet auf eine Entscheidung`,
  holdBody: (reasons) =>
    `Die Schranke hält sie aus ${reasons === 1 ? 'einem Grund' : `${reasons} Gründen`} zurück. Kunden bekommen ` +
    'weiter die letzte Ausgabe; die Statusseite nennt sie verspätet.',
  holdTimes: (count) => `${count}-mal versucht`,
  rounds: 'Die Durchläufe scheitern',
  roundsWhy: ({ code, stage }) => {
    if (code === 'rounds-overdue')
      return 'Seit Stunden ist kein Durchlauf zu Ende gegangen: Der Dienst hängt oder ist beendet. Lesen Sie sein Protokoll, und starten Sie ihn neu.'
    if (code === 'database-lost') return 'Die Verbindung zur Datenbank ist abgebrochen.'
    return stage === null ? 'Ein Durchlauf ist gescheitert.' : `Dieser Schritt scheitert: ${germanStages[stage]}.`
  },
  roundsBody: 'Der Dienst versucht es immer wieder; bis ein Durchlauf gelingt, erscheint nichts Neues.',
  roundsCount: (count) => `${count} hintereinander`,
  seeEditions: 'Ausgaben ansehen',
  old: (age) => `Die neueste Ausgabe erschien ${age}`,
  oldBody: 'Entweder ändert sich bei keinem Portal etwas, oder es kommt nichts an. Sehen Sie die Quellen an.',
  seeSources: 'Quellen ansehen',
  alarm: {
    silent: (source) => `${source} liefert nichts`,
    totals: (source) => `${source} hat mehr angekündigt als geliefert`,
    counts: (source) => `${source} liefert ungewöhnlich viel oder wenig`,
    rejections: (source) => `Viele Dokumente von ${source} werden abgelehnt`,
    drift: (source) => `${source} hat sein Format geändert`,
    fill: (source) => `Bekanntmachungen von ${source} warten in Quarantäne`,
    contents: (source) => `Datensätze von ${source} widersprechen sich`,
    outcomes: (source) => `Ausschreibungen von ${source} enden anders als bisher`,
    winners: (source) => `Ein Gewinner von ${source} ist keine Firma`,
  },
  otherAlarm: (source) => `${source} hat einen Alarm`,
  failing: (count, active) => `${count} von ${active} laufenden Quellen liefern nichts`,
  openSource: 'Quelle öffnen',
  noBackup: 'Es gibt keine Sicherung',
  oldBackup: (age) => `Die neueste Sicherung wurde ${age} gemacht`,
  noDrill: 'Noch keine Sicherung wurde zur Probe wiederhergestellt',
  oldDrill: (age) => `Die neueste zur Probe wiederhergestellte Sicherung wurde ${age} gemacht`,
  drillBody: 'Ob sich die neueren wiederherstellen lassen, ist nicht bekannt.',
  backupBody: 'Geht dieser Rechner verloren, ist alles seither verloren.',
  seeBackup: 'So machen Sie eine Sicherung',
  mails: (count) => counted(count, 'E-Mail wartet', 'E-Mails warten'),
  mailsOff:
    'Es ist kein Mailserver eingestellt. Sie werden gesendet, sobald TENDERSTOCK_SMTP_URL und ' +
    'TENDERSTOCK_MAIL_FROM gesetzt sind. Anmeldelinks kommen nicht an; `tenderstock console link MAIL` gibt ' +
    'einen aus.',
  mailsLate: (error) =>
    `Der Mailserver nimmt sie nicht an: ${error}. Solange er fehlt, wird jede mindestens jede Stunde versucht und nie ` +
    'aufgegeben. Lehnt er eine ab, wird sie nach 15 Stunden bis fünf Tagen aufgegeben. Anmeldelinks kommen nicht an; ' +
    'Passkeys funktionieren.',
  mailsLateNoError: 'Sie warten länger als zehn Minuten. Anmeldelinks kommen nicht an; Passkeys funktionieren.',
  givenUp: (count) => counted(count, 'E-Mail wurde aufgegeben', 'E-Mails wurden aufgegeben'),
  givenUpBody: (error) => `Die letzte Antwort war: ${error}. Sie werden nicht noch einmal gesendet.`,
  seeOrganizations: 'Organisationen ansehen',
  disabled: (count) => counted(count, 'Webhook-Endpunkt ist abgeschaltet', 'Webhook-Endpunkte sind abgeschaltet'),
  disabledBody:
    'Ihre Nachrichten werden zurückgehalten; 30 Tage lang geht nichts verloren. Sagen Sie es den Inhabern: Sie sehen es nur in der Konsole.',
  failingHooks: (count) => counted(count, 'Webhook-Endpunkt ist gestört', 'Webhook-Endpunkte sind gestört'),
  failingHooksBody: 'Nachrichten werden drei Tage lang wiederholt; nach fünf Tagen wird ein Endpunkt abgeschaltet.',
  clock: 'Eine Uhr geht falsch',
  disk: (free) => `Auf dem Datenträger sind noch ${free} frei`,
  diskBody: 'Ohne Platz kommt nichts an, und nichts erscheint. Schaffen Sie Platz, oder verlegen Sie den Datenordner.',
  contract: (name, when) => `Der Vertrag von ${name} endet ${when}`,
  contractBody: (tokens) =>
    `${tokens === 1 ? 'Ein Token ist gültig' : `${tokens} Token sind gültig`}. Nach dem Ende antwortet die API mit 403.`,
  openContract: 'Vertrag öffnen',
  reviews: (count) => counted(count, 'Paar wartet auf Prüfung', 'Paare warten auf Prüfung'),
  reviewsBody: 'Sie bleiben getrennt, bis ein Betreiber entscheidet.',
  review: 'Prüfen',
  doubts: (count) =>
    `${counted(count, 'Datensatz enthält', 'Datensätze enthalten')} Bekanntmachungen, die sich widersprechen`,
  doubtsBody: 'Sie nennen verschiedene Aufträge. Trennen Sie sie, oder bestätigen Sie, dass sie zusammengehören.',
  checks: {
    maintenance: 'Wartung',
    gate: 'Schranke',
    edition: 'Alter der neuesten Ausgabe',
    rounds: 'Gescheiterte Durchläufe hintereinander',
    sources: 'Gestörte Quellen',
    backup: 'Alter der neuesten Sicherung',
    drill: 'Alter der neuesten zur Probe wiederhergestellten Sicherung',
    alarms: 'Offene Alarme von Quellen',
    quotes: 'Offene Anfragen nach einem Angebot',
    imprint: 'Impressum, falls andere die Konsole erreichen',
    mails: 'Wartende E-Mails',
    givenUp: 'Aufgegebene E-Mails',
    webhooks: 'Gestörte oder abgeschaltete Webhook-Endpunkte',
    clocks: 'Uhren',
    disk: 'Freier Platz',
    contracts: 'Verträge, die in 30 Tagen enden',
    reviews: 'Paare zu prüfen',
    doubts: 'Zweifelhafte Datensätze',
  },
  open: 'offen',
  passes: 'lässt durch',
  right: 'richtig',
  atLeast: (figure) => `mindestens ${figure}`,
  hours: (figure) => `${figure} h`,
  more: (figure) => `${figure} oder mehr`,
}

export const deskTexts = withShared(en, de)
