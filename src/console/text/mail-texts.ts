// Texts of the mails about accounts.
import type { Texts } from './languages.ts'

const en = {
  signIn: {
    subject: 'Sign in to Tenderstock',
    body: 'Open this link to sign in. It works once, for ten minutes.',
    button: 'Sign in',
    otherwise: 'You did not ask for this mail? Then do nothing: without the link nobody gets in.',
  },
  invitation: {
    subject: (organization: string) => `Invitation to ${organization} on Tenderstock`,
    body: (invitedBy: string, organization: string, isOwner: boolean) =>
      `${invitedBy} invites you to join ${organization} ${isOwner ? 'as an Owner' : 'as a member'}.`,
    once: 'The link works once, for seven days. It also signs you in: no password is needed.',
    button: 'See the invitation',
    otherwise: 'You do not expect this invitation? Then do nothing, and it ends by itself.',
  },
  token: {
    operator: 'The operator of the service',
    subjects: {
      created: (name: string, organization: string, _days: number) => `New API token "${name}" for ${organization}`,
      revoked: (name: string, organization: string, _days: number) => `API token "${name}" of ${organization} revoked`,
      ends: (name: string, organization: string, days: number) =>
        `API token "${name}" of ${organization} ends in ${days} ${days === 1 ? 'day' : 'days'}`,
    },
    bodies: {
      created: (name: string, hint: string, organization: string, actor: string) =>
        `${actor} made the API token "${name}" (${hint}) for ${organization}.`,
      revoked: (name: string, hint: string, organization: string, actor: string) =>
        `${actor} revoked the API token "${name}" (${hint}) of ${organization}. Requests with it are refused.`,
      ends: (name: string, hint: string, organization: string, _actor: string) =>
        `The API token "${name}" (${hint}) of ${organization} ends soon. Requests with it are refused from then on.`,
    },
    facts: (ends: string | undefined, lastUsed: string | undefined) =>
      `${ends === undefined ? 'It has no end.' : `It ends on ${ends} UTC.`} ${lastUsed === undefined ? 'It was never used.' : `It was last used on ${lastUsed} UTC.`}`,
    next: {
      created: 'You do not know why? Revoke it, and ask who made it: the audit log has the network it came from.',
      revoked: 'You do not know why? The audit log has who did it and from where.',
      ends: 'Make the second token, deploy it, and revoke the first once it is no longer used.',
    },
    button: 'See API access',
  },
  sentBy: (origin: string) => `Sent by Tenderstock at ${origin}. Nobody reads answers to this address.`,
}

const de: typeof en = {
  signIn: {
    subject: 'Bei Tenderstock anmelden',
    body: 'Öffnen Sie diesen Link, um sich anzumelden. Er gilt einmal, zehn Minuten lang.',
    button: 'Anmelden',
    otherwise: 'Sie haben diese E-Mail nicht angefordert? Dann ist nichts zu tun: Ohne den Link kommt niemand hinein.',
  },
  invitation: {
    subject: (organization) => `Einladung zu ${organization} bei Tenderstock`,
    body: (invitedBy, organization, isOwner) =>
      `${invitedBy} lädt Sie zu ${organization} ein, ${isOwner ? 'als Inhaber' : 'als Mitglied'}.`,
    once: 'Der Link gilt einmal, sieben Tage lang. Er meldet Sie auch an: Ein Kennwort braucht es nicht.',
    button: 'Einladung ansehen',
    otherwise: 'Sie erwarten diese Einladung nicht? Dann ist nichts zu tun, sie endet von selbst.',
  },
  token: {
    operator: 'Der Betreiber des Dienstes',
    subjects: {
      created: (name, organization) => `Neuer API-Zugangsschlüssel „${name}“ für ${organization}`,
      revoked: (name, organization) => `API-Zugangsschlüssel „${name}“ von ${organization} widerrufen`,
      ends: (name, organization, days) =>
        `API-Zugangsschlüssel „${name}“ von ${organization} endet in ${days} ${days === 1 ? 'Tag' : 'Tagen'}`,
    },
    bodies: {
      created: (name, hint, organization, actor) =>
        `${actor} hat für ${organization} den API-Zugangsschlüssel „${name}“ (${hint}) erzeugt.`,
      revoked: (name, hint, organization, actor) =>
        `${actor} hat den API-Zugangsschlüssel „${name}“ (${hint}) von ${organization} widerrufen. Anfragen damit werden abgewiesen.`,
      ends: (name, hint, organization) =>
        `Der API-Zugangsschlüssel „${name}“ (${hint}) von ${organization} endet bald. Danach werden Anfragen damit abgewiesen.`,
    },
    facts: (ends, lastUsed) =>
      `${ends === undefined ? 'Er hat kein Ende.' : `Er endet am ${ends} UTC.`} ${lastUsed === undefined ? 'Er wurde nie verwendet.' : `Zuletzt verwendet wurde er am ${lastUsed} UTC.`}`,
    next: {
      created:
        'Sie wissen nicht, warum? Widerrufen Sie ihn, und fragen Sie nach: Das Protokoll nennt das Netz, aus dem er kam.',
      revoked: 'Sie wissen nicht, warum? Das Protokoll nennt, wer es war und von wo.',
      ends: 'Erzeugen Sie den zweiten Schlüssel, setzen Sie ihn ein, und widerrufen Sie den ersten, sobald ihn nichts mehr verwendet.',
    },
    button: 'API-Zugang ansehen',
  },
  sentBy: (origin) => `Gesendet von Tenderstock auf ${origin}. Antworten an diese Adresse liest niemand.`,
}

export const mailTexts: Texts<typeof en> = { en, de }
