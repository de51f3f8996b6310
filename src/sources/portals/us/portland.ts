// The contracts of the City of Portland, in a folder on Google Drive.
import { records } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'
import { readDriveFolder } from './read-drive-folder.ts'

const page = 'https://www.portland.gov/business-opportunities/ocds/ocds-data-publication'

export const source = sourceOf({
  id: 'us-portland',
  title: 'City of Portland, OCDS data publication',
  publisher: 'City of Portland, Oregon',
  homepage: page,
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/united_states_portland.py',
  ],
  recordings: [
    'https://github.com/wegovnyc/portland-ocds/blob/45be64b4dc3d2c0b1cf47a6a30715bb410a9b595/first_record.json',
  ],
  zone: 'America/Los_Angeles',
  channels: [
    {
      name: 'files',
      delivery: { kind: 'own', fetch: readDriveFolder(page, records) },
      timetable: '40 4 * * 1',
    },
  ],
  politeness: { requestsPerMinute: 6 },
  expects: { silentAfterDays: 400, shape: ['html'] },
  caveats: [
    'Three pages made for people lead to the file; their layout may change at any time.',
    'The recording is the first record of the file, not the pages that lead to it.',
  ],
  offBecause: 'its file lies in a folder of Google Drive, whose pages are no interface; run it by name',
})
