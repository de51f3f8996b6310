// What a newcomer looks for on the sample stock: roof works in Saxony, a cleaning contract that was awarded, and a
// restricted procedure in the Azores. Calls come again before those of before are due, so that some are always open.
import { dayMs } from '../../domain/time.ts'
import { type PlantedProcedure, plantedProcedure } from './planted-procedure.ts'
import type { SampleProcedure } from './sample-procedure.ts'
import { type Region, regions } from './vocabulary.ts'

/** Beyond every number that the growing world and its doubtful pairs reach; ten numbers for each time. */
const firstIndex = 100_100
/** How often there are new calls; they are due at the earliest a week after the next ones. */
const daysBetween = 28

const saxony: Region = {
  ...regions.de,
  towns: [
    { name: 'Wolmerau', nuts: 'DED51', postalCode: '04901' },
    { name: 'Tannlauter', nuts: 'DED21', postalCode: '01901' },
    { name: 'Lindelsgrün', nuts: 'DED41', postalCode: '09901' },
    { name: 'Ostrabrück', nuts: 'DED2C', postalCode: '02901' },
  ],
}
const azores: Region = {
  country: 'PT',
  alpha3: 'PRT',
  zone: 'Atlantic/Azores',
  currency: 'EUR',
  languages: ['en'],
  phone: '+351 296 555 0',
  authorities: ['Município de *'],
  towns: [{ name: 'Vila Serena', nuts: 'PT200', postalCode: '9990-101' }],
}

type Roof = Pick<PlantedProcedure, 'title' | 'cpv' | 'family' | 'value' | 'authority'> & {
  /** Days from the beginning to the call, and from the call to its deadline. */
  readonly days: readonly [number, number]
}
const roofs: readonly Roof[] = [
  {
    title: 'Dachsanierung der Grundschule',
    cpv: '45261910',
    family: 'doe',
    value: 486_000,
    authority: 0,
    days: [-9, 48],
  },
  {
    title: 'Dachdeckerarbeiten am Rathaus',
    cpv: '45261210',
    family: 'doe',
    value: 212_000,
    authority: 1,
    days: [-6, 44],
  },
  {
    title: 'Abdichtung des Flachdachs der Turnhalle',
    cpv: '45261420',
    family: 'doe-national',
    value: 138_000,
    authority: 4,
    days: [-4, 41],
  },
]
const piers = ['ferry pier', 'fishing pier', 'visitor pier']

type Cleaning = Pick<PlantedProcedure, 'title' | 'cpv' | 'value'> & {
  /** Days before the epoch. */
  readonly age: number
  readonly award: NonNullable<PlantedProcedure['award']>
}
const cleanings: readonly Cleaning[] = [
  {
    title: 'Glasreinigung der Schulen',
    cpv: '90911300',
    value: 190_000,
    age: 128,
    award: { winner: 'Grünspan Gartenbau GbR', value: 181_400, days: 52 },
  },
  {
    title: 'Unterhaltsreinigung der Schulen',
    cpv: '90919300',
    value: 860_000,
    age: 74,
    award: { winner: 'Tamm & Brekow GmbH', value: 823_700, days: 58 },
  },
]

/** The procurements that have begun at `now` and the next ones. */
export function firstTasks(epoch: number, now: number): SampleProcedure[] {
  const times = Math.max(0, Math.floor((now - epoch) / (daysBetween * dayMs))) + 2
  return [
    ...cleanings.map((each, place) => cleaning(each, place, epoch)),
    ...Array.from({ length: times }, (_, time) => time).flatMap((time) => {
      const from = epoch + time * daysBetween * dayMs
      return [...roofs.map((each, place) => roof(each, place, time, from)), pier(time, from)]
    }),
  ]
}

function roof({ days: [first, daysToDeadline], ...own }: Roof, place: number, time: number, from: number) {
  // in another town each time: what a town tenders again is not new
  const town = (place + time) % saxony.towns.length
  const index = firstIndex + time * 10 + place
  return plantedProcedure({
    ...own,
    key: `roof|${index}`,
    index,
    portal: 'doe',
    region: saxony,
    town,
    reference: `${saxony.towns[town]!.name.slice(0, 3).toUpperCase()}-D-${time + 1}${place + 1}`,
    nature: 'works',
    isValuePublished: own.family === 'doe',
    at: from + first * dayMs,
    daysToDeadline,
  })
}

function pier(time: number, from: number) {
  const index = firstIndex + time * 10 + roofs.length
  return plantedProcedure({
    key: `pier|${index}`,
    index,
    family: 'ted',
    portal: 'ted',
    region: azores,
    town: 0,
    title: `Renewal of the ${piers[time % piers.length]}`,
    reference: `VS-${time + 1}`,
    cpv: '45241500',
    nature: 'works',
    procedureType: 'restricted',
    value: 2_340_000,
    isValuePublished: true,
    at: from - 7 * dayMs,
    daysToDeadline: 45,
  })
}

function cleaning({ age, ...own }: Cleaning, place: number, epoch: number) {
  const index = firstIndex + roofs.length + 1 + place
  return plantedProcedure({
    ...own,
    key: `cleaning|${index}`,
    index,
    family: 'doe',
    portal: 'doe',
    region: regions.de,
    town: 9,
    reference: `SOM-R-${place + 1}`,
    nature: 'services',
    at: epoch - age * dayMs,
    daysToDeadline: 35,
  })
}
