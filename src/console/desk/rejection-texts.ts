// Texts of the pages about documents that were rejected.
import type { RejectionReason } from '../../domain/notice.ts'
import { withShared } from '../frame/shared-texts.ts'

const en = {
  lead: 'Documents, and parts of them, that did not become notices. They are kept, and newer parsers read them again.',
  count: 'Rejections',
  byReason: 'By reason and source',
  list: 'Newest first',
  why: 'Why',
  document: 'Document',
  open: 'Raw document',
  empty: 'Nothing was rejected',
  emptyBody: 'Documents that cannot be read appear here, with the reason.',
  newer: 'Newer',
  showAll: 'Show all',
  reasons: {
    'unsupported-format': 'unsupported format',
    malformed: 'malformed',
    'forbidden-construct': 'forbidden construct',
    'too-deep': 'nested too deeply',
    'too-large': 'too large',
    'not-procurement': 'not a procurement',
    'missing-identity': 'no ID',
    'missing-content': 'no content',
    'invalid-content': 'invalid content',
  } satisfies { readonly [reason in RejectionReason]: string } as { readonly [reason: string]: string },
}

const de: typeof en = {
  lead: 'Dokumente und Teile davon, aus denen keine Bekanntmachung wurde. Sie werden aufbewahrt und von neueren Parsern erneut gelesen.',
  count: 'Abgelehnt',
  byReason: 'Nach Grund und Quelle',
  list: 'Die neuesten zuerst',
  why: 'Warum',
  document: 'Dokument',
  open: 'Originaldokument',
  empty: 'Nichts wurde abgelehnt',
  emptyBody: 'Dokumente, die nicht lesbar sind, erscheinen hier mit dem Grund.',
  newer: 'Neuere',
  showAll: 'Alle anzeigen',
  reasons: {
    'unsupported-format': 'unbekanntes Format',
    malformed: 'beschädigt',
    'forbidden-construct': 'verbotenes Element',
    'too-deep': 'zu tief verschachtelt',
    'too-large': 'zu groß',
    'not-procurement': 'keine Beschaffung',
    'missing-identity': 'ohne Kennung',
    'missing-content': 'ohne Inhalt',
    'invalid-content': 'widersprüchlicher Inhalt',
  } satisfies { readonly [reason in RejectionReason]: string },
}

export const rejectionTexts = withShared(en, de)
