// NOCOPO, the contracts of Nigeria's federation.
import { linkedFiles } from '../../families/linked-files.ts'
import { registryYears } from '../../families/registry-years.ts'
import { zippedReleases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'ng-nocopo',
  title: 'Nigeria Open Contracting Portal (NOCOPO)',
  publisher: 'Bureau of Public Procurement',
  homepage: 'https://nocopo.bpp.gov.ng',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/nigeria_portal.py',
    'https://github.com/kene-obiekwe/nigeria-public-procurement-intelligence/blob/9008af2e9366ceba6162c3e68dbf1d64642faccd/python/profiling/01_structural_profiler.py',
  ],
  recordings: [
    'https://github.com/Jeremiaheth/business-trust-registry-main/blob/0c3afd1d2f845404c1519f54ffe47d55d06bbbcd/data_sources/public_seed_sources/federal_nocopo_2026.source.json',
  ],
  channels: [
    // The answer is a page that sends the reader on to an archive made for it.
    linkedFiles(
      'https://nocopo.bpp.gov.ng/ocdsjson.ashx?ocid=all',
      /http-equiv=["']?refresh["']?[^>]*url=["']?([^"'>\s]+)/i,
      zippedReleases,
      '0 1 * * 6',
      '<meta http-equiv="refresh" content="0; url=/files/{key}.zip">',
    ),
    registryYears(64, '2016-01-01'),
  ],
  politeness: { requestsPerMinute: 5 },
  expects: { silentAfterDays: 60, shape: ['meta'] },
  caveats: [
    'On 14 September 2026, a public program found the certificate of the portal expired, and read the copy ' +
      'in the OCP Data Registry instead; the channel `registry` does so.',
    'The recording is of that copy: releases of 2026, compiled by process; those that were read have no ' +
      'deadline. The same award is in them up to three times under different IDs, and counts once.',
    'Trials of the portal are among the records, by the buyer TEST MINISTRY - NOCOPO.',
    'Everything in one archive, whose making and reading takes up to an hour.',
    'Members without releases occur.',
    'The second client reads an archive of 2021 from this address, and its author found in October 2026 that ' +
      'the address still leads to a zip, made at that moment.',
    'In an archive of 2021, every release is dated with the making of the archive; all have plans, a sixth ' +
      'has a tender or an award, and some OCIDs have several releases.',
    'Another public program reads the newest records from a list of the portal ' +
      '(`PublishedRecordHandler.ashx`), each with its OCID; that list is not read here.',
  ],
})
