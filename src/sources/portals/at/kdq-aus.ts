// Austria: Kerndaten of Ausschreibung.at, an index of announcements with their last change, one XML for each.
import { kerndatenSource } from '../../families/kerndaten.ts'

export const source = kerndatenSource({
  id: 'at-kdq-aus',
  title: 'Kerndatenquelle Ausschreibung.at',
  publisher: 'AUSTRIX / ausschreibung.at',
  homepage: 'https://www.ausschreibung.at',
  minute: 11,
  index: 'https://www.ausschreibung.at/OpenData/kdq?id=87BA5ED1',
  perDay: [1, 200],
  caveats: ['Documents of this publisher carry no deadline, users report.'],
})
