// A card for tests that are not about portals.
import type { Source } from '../../src/sources/source.ts'

export const madeUpSource: Source = {
  id: 'xx-example',
  title: 'Example',
  publisher: 'Example',
  country: 'DE',
  homepage: 'https://portal.example/',
  license: { name: 'CC0-1.0' },
  zone: 'Europe/Berlin',
  channels: [
    {
      name: 'all',
      slots: { kind: 'whole' },
      delivery: {
        kind: 'single',
        request: { url: 'https://portal.example/all.json' },
        entries: { format: 'document' },
      },
    },
  ],
  access: { kind: 'open' },
  politeness: {},
  expects: { silentAfterDays: 5, shape: [] },
  caveats: [],
}
