// Texts of the audit log, and of what its entries say. An action without a text is shown by its code.
import type { Texts } from './languages.ts'

const en = {
  title: 'Audit log',
  lead: 'Who changed what, and when. Entries are kept for 24 months and cannot be altered.',
  when: 'When, UTC',
  who: 'Who',
  what: 'What',
  subject: 'To what',
  detail: 'Details',
  operator: 'the operator, by the command line',
  none: 'Nothing yet',
  noneHint: 'Invitations, roles, tokens and webhooks: every change stands here, with who made it.',
  shown: (count: string) => `${count} entries`,
  newest: 'Newest',
  older: 'Older',
  actions: {
    'person.first': 'began the service',
    'console.link': 'made a link to sign in',
    'member.invite': 'invited',
    'member.withdraw': 'withdrew the invitation of',
    'member.join': 'joined',
    'member.role': 'changed the role of',
    'member.remove': 'removed',
    'member.leave': 'left',
    'passkey.add': 'added a passkey',
    'passkey.remove': 'removed a passkey',
    'identity.link': 'connected the company sign-in',
  } as { readonly [action: string]: string },
}

const de: typeof en = {
  title: 'Protokoll',
  lead: 'Wer wann was geändert hat. Einträge bleiben 24 Monate und lassen sich nicht ändern.',
  when: 'Wann, UTC',
  who: 'Wer',
  what: 'Was',
  subject: 'Woran',
  detail: 'Einzelheiten',
  operator: 'der Betreiber, über die Befehlszeile',
  none: 'Noch nichts',
  noneHint: 'Einladungen, Rollen, Zugangsschlüssel und Webhooks: Jede Änderung steht hier, und wer sie gemacht hat.',
  shown: (count) => `${count} Einträge`,
  newest: 'Neueste',
  older: 'Ältere',
  actions: {
    'person.first': 'hat den Dienst begonnen',
    'console.link': 'hat einen Link zum Anmelden erzeugt',
    'member.invite': 'hat eingeladen',
    'member.withdraw': 'hat die Einladung zurückgezogen von',
    'member.join': 'ist beigetreten',
    'member.role': 'hat die Rolle geändert von',
    'member.remove': 'hat entfernt',
    'member.leave': 'hat die Organisation verlassen',
    'passkey.add': 'hat einen Passkey hinzugefügt',
    'passkey.remove': 'hat einen Passkey entfernt',
    'identity.link': 'hat die Anmeldung der Firma verbunden',
  },
}

export const auditTexts: Texts<typeof en> = { en, de }
