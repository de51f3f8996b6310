// Texts of the mails about tokens.
import type { Texts } from '../frame/languages.ts'

const en = {
  tokenCreated: {
    subject: (name: string, organization: string) => `Token “${name}” of ${organization} was created`,
    body: (actor: string, hint: string) => `${actor} created the token ${hint} for the API.`,
    otherwise: 'Is that a surprise? Revoke the token, and ask who made it: the audit log says from which network.',
  },
  tokenRevoked: {
    subject: (name: string, organization: string) => `Token “${name}” of ${organization} was revoked`,
    body: (actor: string, hint: string) =>
      `${actor} revoked the token ${hint}. It stops working everywhere within a minute.`,
    otherwise: 'Is that a surprise? The audit log says who did it and when.',
  },
  tokenEnds: {
    subject: (name: string, organization: string) => `Token “${name}” of ${organization} ends soon`,
    body: (when: string, hint: string) =>
      `The token ${hint} ends ${when}. What uses it is refused with 401 from then on.`,
    otherwise: 'Create a second token, deploy it, and revoke this one: nothing is interrupted.',
  },
  ends: (when: string) => `It ends on ${when}.`,
  operator: 'The operator of the service',
  button: 'Open API access',
}

const de: typeof en = {
  tokenCreated: {
    subject: (name, organization) => `Token „${name}“ von ${organization} wurde erstellt`,
    body: (actor, hint) => `${actor} hat das Token ${hint} für die API erstellt.`,
    otherwise:
      'Überrascht Sie das? Widerrufen Sie das Token, und fragen Sie nach: Das Protokoll nennt das Netz, aus dem es kam.',
  },
  tokenRevoked: {
    subject: (name, organization) => `Token „${name}“ von ${organization} wurde widerrufen`,
    body: (actor, hint) => `${actor} hat das Token ${hint} widerrufen. Es gilt innerhalb einer Minute nirgends mehr.`,
    otherwise: 'Überrascht Sie das? Das Protokoll sagt, wer es wann getan hat.',
  },
  tokenEnds: {
    subject: (name, organization) => `Token „${name}“ von ${organization} endet bald`,
    body: (when, hint) => `Das Token ${hint} endet ${when}. Was es benutzt, wird danach mit 401 abgewiesen.`,
    otherwise:
      'Erstellen Sie ein zweites Token, setzen Sie es ein, und widerrufen Sie dieses: Dabei steht nichts still.',
  },
  ends: (when) => `Es endet am ${when}.`,
  operator: 'Der Betreiber des Dienstes',
  button: 'API-Zugang öffnen',
}

export const tokenMailTexts: Texts<typeof en> = { en, de }
