// The German announcement service (oeffentlichevergabe.de): exports by day, and months read again to repair gaps.
import { dayMs, hourMs } from '../../domain/time.ts'
import { sourceOf } from '../source.ts'
import { fetchDay, fetchMonth, fetchRepair, fetchTables, firstMonth } from './fetch-exports.ts'
import { parseDoe } from './parse-doe.ts'

const floor = `${firstMonth}-01`

export const source = sourceOf({
  id: 'doe',
  title: 'Datenservice Öffentlicher Einkauf (Bekanntmachungsservice)',
  publisher: 'Beschaffungsamt des Bundesministeriums des Innern',
  country: 'DE',
  homepage: 'https://oeffentlichevergabe.de/',
  documentation: 'https://oeffentlichevergabe.de/documentation/api/opendata',
  license: { name: 'CC0 1.0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
  zone: 'Europe/Berlin',
  leads: true,
  channels: [
    {
      name: 'daily',
      slots: { kind: 'day', since: floor, delayMs: hourMs, rereadDays: [1, 3] },
      delivery: { kind: 'own', fetch: fetchDay },
      timetable: '20 1,4,7,10,14,19 * * *',
    },
    {
      name: 'repair',
      slots: { kind: 'month', since: floor, delayMs: dayMs, isOpenRead: true, rereadDays: [5, 20] },
      delivery: { kind: 'own', fetch: fetchRepair },
      timetable: '45 3 * * 6',
      role: 'control',
    },
    {
      name: 'monthly',
      slots: { kind: 'month', since: floor, delayMs: dayMs },
      delivery: { kind: 'own', fetch: fetchMonth },
      role: 'backfill',
    },
    {
      name: 'tables',
      slots: { kind: 'day', since: floor, delayMs: hourMs },
      delivery: { kind: 'own', fetch: fetchTables },
      role: 'spare',
    },
  ],
  parse: parseDoe,
  politeness: { requestsPerMinute: 12, connections: 1 },
  expects: {
    perDay: [200, 2500],
    silentAfterDays: 5,
    // In eForms and in the below-threshold channel alike.
    shape: ['CustomizationID', 'NoticeTypeCode', 'ContractingParty'],
  },
  caveats: [
    'A day is available from the day after, in Berlin time; today and days before December 2022 are answered with 400.',
    'A day may still grow after it was read, so its month is read once more every week while it runs and twice after it ended.',
    'The service gives the same ETag to different addresses: it is only ever sent back to the address it came from, and never for a repair.',
    'December 2022 holds 121,947 notices: what was announced before the service began.',
    'A notice recurs in later months while it is open; copies of the same bytes are one document, versions are told by their number.',
    'Four of ten notices are of the below-threshold channel (eforms-sdk-0.1): mostly numbers instead of ' +
      'UUIDs, no procedure id, a CPV division of two digits, no value.',
    'CSV and OCDS exports lack the deadline for tenders; the tables are read only by request, and the XML of the same notice wins.',
    'The tables do not say which organization won which lot, so winners are taken over only where a single lot was awarded.',
    'Notices above the thresholds come out on TED too, days later, with the same notice id.',
  ],
})
