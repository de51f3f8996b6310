// Tenders of the state of Assam, collected by CivicDataLab.
import { licenceNotStated } from '../../families/card-values.ts'
import { wholeFile } from '../../families/whole-file.ts'
import { zippedReleases } from '../../ocds/entries.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'in-assam',
  title: 'Assam tenders',
  publisher: 'CivicDataLab',
  country: 'IN',
  homepage: 'https://github.com/CivicDataLab/assam-tenders-data',
  licence: licenceNotStated,
  zone: 'Asia/Kolkata',
  channels: [
    wholeFile(
      'https://github.com/CivicDataLab/assam-tenders-data/raw/main/data/ProcessedData/ocds-mapped-data/current/ocds_mapped_data.json.zip',
      zippedReleases,
      '20 3 * * 2',
    ),
  ],
  access: { kind: 'open' },
  politeness: { requestsPerMinute: 10 },
  expects: { silentAfterDays: 200, shape: ['/ocid', '/tag'] },
  caveats: ['The archive holds copies of its members below __MACOSX, which are no JSON.'],
}
