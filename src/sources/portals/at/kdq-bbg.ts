// Austria: Kerndaten of BBG, an index of announcements with their last change, one XML for each.
import { kerndatenSource } from '../../families/kerndaten.ts'

export const source = kerndatenSource({
  id: 'at-kdq-bbg',
  title: 'Kerndatenquelle Bundesbeschaffung',
  publisher: 'Bundesbeschaffung GmbH',
  homepage: 'https://www.bbg.gv.at',
  minute: 21,
  index: 'https://opendata.bbg.gv.at/kerndaten/bbg_kerndaten_viii-2-1.xml',
  perDay: [0, 200],
  caveats: ['Awards only (form VIII 2 Z 1), no calls and no deadlines.'],
})
