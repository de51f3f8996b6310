// Texts of the pages about documents that were rejected.
import type { Texts } from './languages.ts'

const en = {
  title: 'Rejections',
  lead: 'Documents, and parts of them, that did not become notices. They are kept, and newer parsers read them again.',
  reason: 'Reason',
  source: 'Source',
  count: 'Rejections',
  newest: 'Newest',
  byReason: 'By reason and source',
  list: 'Newest first',
  chosen: (reason: string, source: string) => [reason, source].filter(Boolean).join(', '),
  why: 'Why',
  when: 'When',
  document: 'Document',
  open: 'Raw document',
  part: 'Part',
  empty: 'Nothing was rejected',
  emptyBody: 'Documents that cannot be read appear here, with the reason.',
  range: (from: string, to: string) => `${from} to ${to}`,
  older: 'Older',
  newer: 'Newer',
  showAll: 'Show all',
}

const de: typeof en = {
  title: 'Abgelehnte Dokumente',
  lead: 'Dokumente und Teile davon, aus denen keine Bekanntmachung wurde. Sie werden aufbewahrt und von neueren Parsern erneut gelesen.',
  reason: 'Grund',
  source: 'Quelle',
  count: 'Abgelehnt',
  newest: 'Neueste',
  byReason: 'Nach Grund und Quelle',
  list: 'Die neuesten zuerst',
  chosen: (reason, source) => [reason, source].filter(Boolean).join(', '),
  why: 'Warum',
  when: 'Wann',
  document: 'Dokument',
  open: 'Originaldokument',
  part: 'Teil',
  empty: 'Nichts wurde abgelehnt',
  emptyBody: 'Dokumente, die nicht lesbar sind, erscheinen hier mit dem Grund.',
  range: (from, to) => `${from} bis ${to}`,
  older: 'Ältere',
  newer: 'Neuere',
  showAll: 'Alle anzeigen',
}

export const rejectionTexts: Texts<typeof en> = { en, de }
