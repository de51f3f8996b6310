// The OCDS export of the Datenservice Öffentlicher Einkauf: off, as its eForms say more.
import { hourMs } from '../../families/card-values.ts'
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'de-bekanntmachungsservice-ocds',
  title: 'Datenservice Öffentlicher Einkauf, OCDS',
  publisher: 'Beschaffungsamt des Bundesministeriums des Innern',
  homepage: 'https://www.oeffentlichevergabe.de',
  documentation: 'https://www.oeffentlichevergabe.de/documentation/api/opendata',
  clients: ['https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/germany.py'],
  license: { name: 'CC0-1.0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
  channels: [
    {
      name: 'days',
      slots: { kind: 'day', since: '2022-12-01', delayMs: hourMs },
      delivery: {
        kind: 'single',
        request: {
          url: 'https://oeffentlichevergabe.de/api/notice-exports?pubDay={from:yyyy-MM-dd}&format=ocds.zip',
        },
        entries: zippedReleases,
        notFound: 'empty',
      },
    },
  ],
  politeness: {},
  expects: { perDay: [200, 3000], silentAfterDays: 4, shape: ['/ocid', '/tag'] },
  caveats: ['The conversion drops the deadline for tenders, and most suppliers are only among the parties.'],
  offBecause: 'the source `doe` reads the same notices as eForms, with their deadlines',
})
