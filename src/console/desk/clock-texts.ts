// What is wrong with the clocks, as the operator's first screen says it.
import { type ClockConcern, clockLines, spanText } from '../../domain/clock-concern.ts'
import type { Lines } from '../../domain/lines.ts'
import { toInstant } from '../../domain/time.ts'
import type { Texts } from '../frame/languages.ts'

const span = (ms: number): string => spanText(ms, 'Tage')

const off = (differenceMs: number): string =>
  `Die Uhr dieses Rechners geht ${span(differenceMs)} ${differenceMs > 0 ? 'nach' : 'vor'}, verglichen mit der Datenbank`

const de = {
  'node-clock': ({ differenceMs }) =>
    `${off(differenceMs)}. Der Dienst verwendet die Zeit der Datenbank. Gleichen Sie beide Uhren mit NTP ab.`,
  'publisher-clock': ({ differenceMs, mostMs }) =>
    `${off(differenceMs)}. Solange es mehr als ${mostMs / 1000} s sind, erscheint nichts: Keine Ausgabe darf ` +
    'das Datum einer falschen Uhr tragen. Gleichen Sie beide Uhren mit NTP ab; danach geht es von selbst ' +
    'weiter.',
  'future-edition': ({ edition, publishedAt, aheadMs }) =>
    `Ausgabe ${edition} trägt das Datum ${toInstant(publishedAt)} und liegt damit ${span(aheadMs)} in der ` +
    'Zukunft: Eine Uhr ging vor, als sie erschien. Die nächste Ausgabe wartet bis eine Stunde nach diesem ' +
    'Datum, wenn Sie nicht eingreifen. Sobald die Uhren stimmen: tenderstock publish --accept-future-edition',
  'future-stamps': ({ edition, lastModified, aheadMs }) =>
    `Die Zeitstempel (lastModified) von Ausgabe ${edition} reichen bis ${toInstant(lastModified)}, ` +
    `${span(aheadMs)} in die Zukunft. Kein Datensatz geht verloren: Neue Stempel schließen daran an, bis die ` +
    'Uhr sie eingeholt hat.',
} satisfies Lines<ClockConcern>

export const clockTexts: Texts<Lines<ClockConcern>> = { en: clockLines, de }
