// The evidence for each card, for the table of sources.

/** Sources of which a test reads real answers or documents (`test/corpus`). */
export const recordedAnswers: ReadonlySet<string> = new Set([
  'br-pncp',
  'ch-simap',
  'co-secop2',
  'de-bekanntmachungsservice-ocds',
  'doe',
  'es-catalunya',
  'es-placsp-643',
  'fr-decp-awards',
  'gb-contracts-finder',
  'gb-find-a-tender',
  'gb-public-contracts-scotland',
  'gb-sell2wales',
  'nl-tenderned',
  'no-doffin',
  'py-dncp',
  'ro-seap',
  'ted',
  'ua-prozorro',
])
