// SAM.gov contract opportunities of the United States, by the keyed interface.
import { sourceOf } from '../../source.ts'
import { parseSam } from './parse-sam.ts'

export const source = sourceOf({
  id: 'us-sam',
  title: 'SAM.gov Contract Opportunities',
  publisher: 'General Services Administration',
  homepage: 'https://sam.gov/opportunities',
  documentation: 'https://open.gsa.gov/api/get-opportunities-public-api/',
  clients: [
    'https://github.com/irankunda5/plur-rfp-tracker/blob/237b4daab7309a6a83911a9435827c16d6372b87/scrapers/sam_gov.py',
    'https://github.com/azeeshan1039/Sam.Gov/blob/3b70d78511fe79d4f0e3dfeefe2ce1c16f61dd61/src/services/sam-gov.ts',
    'https://github.com/GSA/srt-fbo-scraper/blob/780383dfebfdb6a7c2ca3a923ac3116fdd44329e/src/fbo_scraper/get_opps.py',
  ],
  license: { name: 'US public domain', url: 'https://www.usa.gov/government-copyright' },
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2026-01-01', rereadDays: [1], isOpenRead: true },
      timetable: '30 7,19 * * *',
      delivery: {
        kind: 'offset',
        request: {
          url: 'https://api.sam.gov/opportunities/v2/search?api_key={key}&postedFrom={from:MM/dd/yyyy}&postedTo={last:MM/dd/yyyy}&limit={limit}&offset={offset}',
          headers: { accept: 'application/json' },
        },
        entries: { format: 'json', at: '/opportunitiesData' },
        total: '/totalRecords',
        pageSize: 1000,
        end: { when: 'total' },
      },
    },
  ],
  parse: parseSam,
  access: { kind: 'key', setting: 'SAM_API_KEY', getItAt: 'https://sam.gov/profile/details' },
  politeness: { requestsPerMinute: 10, pauseMs: 2000 },
  expects: {
    perDay: [50, 3000],
    silentAfterDays: 4,
    shape: [
      '/totalRecords',
      '/opportunitiesData/0/noticeId',
      '/opportunitiesData/0/title',
      '/opportunitiesData/0/postedDate',
    ],
  },
  caveats: [
    'Keys of the public are reported to allow ten requests a day; us-sam-bulk has the same notices without a key.',
    'The documentation calls offset the index of a page; the readers of GSA and of others count records, and ' +
      'so does this card: a wrong guess misses the announced total, which is an error.',
    'Only the newest version of a notice is available.',
    'The description is an address that needs the key again and is not fetched.',
    'Classified by NAICS and PSC, not by CPV: no CPV codes are read.',
    'At most a year between postedFrom and postedTo, which are mandatory.',
  ],
})
