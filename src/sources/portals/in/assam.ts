// Tenders of the state of Assam, collected by CivicDataLab.
import { wholeFile } from '../../families/whole-file.ts'
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'in-assam',
  title: 'Assam tenders',
  publisher: 'CivicDataLab',
  homepage: 'https://github.com/CivicDataLab/assam-tenders-data',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/india_assam_civic_data_lab.py',
    'https://github.com/paisa-india/paisa/blob/bb294727b33d23ae99e393020fbdb193a62dff0d/connectors/assam-contracts/index.ts',
  ],
  channels: [
    wholeFile(
      'https://github.com/CivicDataLab/assam-tenders-data/raw/main/data/ProcessedData/ocds-mapped-data/current/ocds_mapped_data.json.zip',
      zippedReleases,
      '20 3 * * 2',
    ),
  ],
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 200, shape: ['/ocid', '/tag'] },
  caveats: [
    'Dates are year, day, month (2021-25-03), as the public program that writes the file says; they are read ' +
      'so. The date of a release is the day of its conversion, so that the day of the publication is taken.',
    'The archive holds copies of its members below __MACOSX, which are not JSON.',
  ],
})
