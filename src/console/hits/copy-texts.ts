// Texts of the pages that copy and delete a search or a profile.
import { counted } from '../frame/format.ts'
import { withShared } from '../frame/shared-texts.ts'

const en = {
  copyTitle: (name: string) => `Copy “${name}”`,
  copyBody: {
    searches: 'The copy looks for the same, and makes its own hits from the next edition.',
    profiles: 'The copy says the same. Choose it in your searches.',
  },
  copyButton: 'Save the copy',
  copyName: (name: string) => `${name} (copy)`,
  copied: (name: string) => `“${name}” is saved.`,
  noName: 'Give it a name of at most 200 characters.',
  deleteLink: 'Delete…',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteBody: {
    searches:
      'Its hits go with it, and what waits to be sent about them is not sent. This cannot be undone. To keep the hits, pause the search.',
    profiles: 'This cannot be undone. Scores of existing hits stay.',
  },
  deleteLabel: 'Type its name to confirm',
  deleteButton: 'Delete',
  wrongName: (name: string) => `This is not its name. Type: ${name}`,
  inUse: 'Searches use this profile',
  inUseDetail: 'Give them another profile first:',
  deleted: (name: string) => `“${name}” is deleted.`,
  withHits: (count: string) => counted(count, 'hit went with it.', 'hits went with it.'),
}

const de: typeof en = {
  copyTitle: (name) => `„${name}“ kopieren`,
  copyBody: {
    searches: 'Die Kopie sucht dasselbe und macht ab der nächsten Ausgabe eigene Treffer.',
    profiles: 'Die Kopie sagt dasselbe. Wählen Sie sie in Ihren Suchen.',
  },
  copyButton: 'Kopie speichern',
  copyName: (name) => `${name} (Kopie)`,
  copied: (name) => `„${name}“ ist gespeichert.`,
  noName: 'Geben Sie einen Namen mit höchstens 200 Zeichen an.',
  deleteLink: 'Löschen …',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteBody: {
    searches:
      'Die Treffer werden mit gelöscht, und was über sie noch zu senden ist, wird nicht gesendet. Das lässt ' +
      'sich nicht rückgängig machen. Um die Treffer zu behalten, halten Sie die Suche an.',
    profiles: 'Das lässt sich nicht rückgängig machen. Punktzahlen vorhandener Treffer bleiben.',
  },
  deleteLabel: 'Zur Bestätigung den Namen eingeben',
  deleteButton: 'Löschen',
  wrongName: (name) => `Das ist nicht der Name. Geben Sie ein: ${name}`,
  inUse: 'Suchen verwenden dieses Profil',
  inUseDetail: 'Geben Sie ihnen zuerst ein anderes Profil:',
  deleted: (name) => `„${name}“ ist gelöscht.`,
  withHits: (count) => counted(count, 'Treffer wurde mit gelöscht.', 'Treffer wurden mit gelöscht.'),
}

export const copyTexts = withShared(en, de)
