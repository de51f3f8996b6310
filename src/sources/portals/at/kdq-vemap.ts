// Austria: Kerndaten of vemap, an index of announcements with their last change, one XML for each.
import { kerndatenSource } from '../../families/kerndaten.ts'

export const source = kerndatenSource({
  id: 'at-kdq-vemap',
  title: 'Kerndatenquelle vemap',
  publisher: 'vemap Einkaufsmanagement GmbH',
  homepage: 'https://www.vemap.com',
  minute: 31,
  index: 'https://bekanntmachungen.vemap.com/vemap-kdq-01.xml',
  perDay: [1, 200],
  caveats: ['Deadlines are in DATETIME_RECEIPT_TENDERS.'],
})
