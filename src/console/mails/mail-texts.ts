// Texts of the mails about accounts.
import type { QuoteNeed } from '../../store/people/quotes.ts'
import type { Texts } from '../frame/languages.ts'

const en = {
  signIn: {
    subject: (site: string) => `Sign in to ${site}`,
    body: 'Open this link to sign in. It works once, for ten minutes.',
    button: 'Sign in',
    otherwise: 'If you did not request this mail, ignore it. Without the link no sign-in is possible.',
  },
  invitation: {
    subject: (organization: string, site: string) => `Invitation to ${organization} on ${site}`,
    body: (invitedBy: string, organization: string, isOwner: boolean) =>
      `${invitedBy} invites you to join ${organization} ${isOwner ? 'as an Owner' : 'as a member'}.`,
    once: 'The link works once, for seven days. It also signs you in: no password is needed.',
    button: 'See the invitation',
    otherwise: 'Were you not expecting this invitation? Then do nothing, and it will expire.',
  },
  quoteAsked: {
    subject: (company: string) => `${company} asks for a quote`,
    body: (name: string, company: string, mail: string) =>
      `${name} of ${company} asks for a quote. They gave the address ${mail}, which nobody has checked.`,
    needs: 'They need:',
    need: {
      search: 'a search with mails',
      api: 'the API',
      webhooks: 'webhooks',
      files: 'files of the whole stock',
    } satisfies { readonly [need in QuoteNeed]: string },
    button: 'Open the request',
    otherwise: 'Nothing was sent to that address. Answer from your own mailbox, or accept or decline at the desk.',
  },
  passkeyBlocked: {
    subject: (name: string) => `Your passkey “${name}” was blocked`,
    body: (when: string, network: string) =>
      `Somebody signed in with it on ${when} UTC from the network ${network}, and its counter went back: a ` +
      'copy of it may exist. They were refused, and it no longer works.',
    doNow:
      'Sign in with a link by mail or another passkey. End the sessions that you do not know, remove this passkey, and add a new one.',
    button: 'Open your settings',
  },
  webhook: {
    fails: (name: string, organization: string) => `Webhook “${name}” of ${organization} is failing`,
    disabled: (name: string, organization: string) => `Webhook “${name}” of ${organization} was disabled`,
    button: 'Open the endpoint',
  },
  lettersEnded: {
    subject: (person: string, organization: string) => `Mails to ${person} ended (${organization})`,
    body: (error: string) =>
      `The mail server refused three times, a day apart, because there is no such recipient. Its last answer: ${error}`,
    doNow:
      'Nothing is lost for 30 days: check the address, then start the mails again, and they bring everything since. ' +
      'Remove the address if it is wrong.',
    button: 'Open the mails',
  },
  status: {
    incident: {
      began: (title: string) => `Incident: ${title}`,
      changed: (title: string) => `News of the incident: ${title}`,
      ended: (title: string) => `The incident is over: ${title}`,
    },
    since: (from: string) => `Since ${from}`,
    over: (from: string, to: string) => `From ${from} to ${to}`,
    maintenance: {
      began: 'The API is closed for maintenance',
      changed: 'The maintenance ends at another time',
      ended: 'The maintenance is over',
    },
    maintenanceBody: {
      began: (until: string) =>
        `The API answers again by ${until}. Clients repeat their requests by themselves, and no record is lost.`,
      changed: (until: string) => `The API answers again by ${until}.`,
      ended: (at: string) => `The API has answered again since ${at}.`,
    },
    button: 'See the status',
    why: 'You are an Owner who asked for mails about incidents and maintenance.',
    leave: 'End these mails',
  },
  sentBy: (site: string, origin: string) => `Sent by ${site} at ${origin}. Replies to this address are not read.`,
}

const de: typeof en = {
  signIn: {
    subject: (site) => `Bei ${site} anmelden`,
    body: 'Öffnen Sie diesen Link, um sich anzumelden. Er gilt einmal, zehn Minuten lang.',
    button: 'Anmelden',
    otherwise: 'Sie haben diese E-Mail nicht angefordert? Dann ist nichts zu tun: Ohne den Link kommt niemand hinein.',
  },
  invitation: {
    subject: (organization, site) => `Einladung zu ${organization} bei ${site}`,
    body: (invitedBy, organization, isOwner) =>
      `${invitedBy} lädt Sie als ${isOwner ? 'Inhaber' : 'Mitglied'} zu ${organization} ein.`,
    once: 'Der Link gilt einmal, sieben Tage lang. Er meldet Sie auch an: Ein Kennwort braucht es nicht.',
    button: 'Einladung ansehen',
    otherwise: 'Sie erwarten diese Einladung nicht? Dann ist nichts zu tun, sie endet von selbst.',
  },
  quoteAsked: {
    subject: (company) => `${company} fragt nach einem Angebot`,
    body: (name, company, mail) =>
      `${name} von ${company} fragt nach einem Angebot. Angegeben ist die Adresse ${mail}, die niemand geprüft hat.`,
    needs: 'Gebraucht wird:',
    need: {
      search: 'eine Suche mit E-Mails',
      api: 'die API',
      webhooks: 'Webhooks',
      files: 'Dateien des ganzen Bestands',
    },
    button: 'Anfrage öffnen',
    otherwise:
      'An diese Adresse ging nichts. Antworten Sie aus Ihrem eigenen Postfach, oder nehmen Sie die Anfrage am Pult an, oder lehnen Sie sie ab.',
  },
  passkeyBlocked: {
    subject: (name) => `Ihr Passkey „${name}“ wurde gesperrt`,
    body: (when, network) =>
      `Am ${when} UTC hat sich jemand aus dem Netz ${network} mit ihm angemeldet, und sein Zähler ging ` +
      'zurück: Es gibt vielleicht eine Kopie. Die Anmeldung wurde abgelehnt, und er meldet niemanden mehr an.',
    doNow:
      'Melden Sie sich mit einem Link per E-Mail oder einem anderen Passkey an. Beenden Sie Sitzungen, die ' +
      'Sie nicht kennen, entfernen Sie diesen Passkey, und fügen Sie einen neuen hinzu.',
    button: 'Einstellungen öffnen',
  },
  webhook: {
    fails: (name, organization) => `Webhook „${name}“ von ${organization} scheitert`,
    disabled: (name, organization) => `Webhook „${name}“ von ${organization} wurde abgeschaltet`,
    button: 'Endpunkt öffnen',
  },
  lettersEnded: {
    subject: (person, organization) => `E-Mails an ${person} sind beendet (${organization})`,
    body: (error) =>
      'Der Mailserver hat dreimal im Abstand eines Tages abgelehnt, weil es den Empfänger nicht gibt. Seine letzte ' +
      `Antwort: ${error}`,
    doNow:
      '30 Tage lang geht nichts verloren: Prüfen Sie die Adresse, und beginnen Sie die E-Mails wieder; sie bringen ' +
      'dann alles seither. Ist die Adresse falsch, entfernen Sie sie.',
    button: 'E-Mails öffnen',
  },
  status: {
    incident: {
      began: (title) => `Störung: ${title}`,
      changed: (title) => `Neues zur Störung: ${title}`,
      ended: (title) => `Die Störung ist vorbei: ${title}`,
    },
    since: (from) => `Seit ${from}`,
    over: (from, to) => `Von ${from} bis ${to}`,
    maintenance: {
      began: 'Die API ist wegen einer Wartung geschlossen',
      changed: 'Die Wartung endet zu einer anderen Zeit',
      ended: 'Die Wartung ist vorbei',
    },
    maintenanceBody: {
      began: (until) =>
        `Die API antwortet spätestens ab ${until} wieder. Programme wiederholen ihre Anfragen von selbst, und kein Datensatz geht verloren.`,
      changed: (until) => `Die API antwortet spätestens ab ${until} wieder.`,
      ended: (at) => `Die API antwortet seit ${at} wieder.`,
    },
    button: 'Status ansehen',
    why: 'Sie sind Inhaber und haben E-Mails über Störungen und Wartungen bestellt.',
    leave: 'Diese E-Mails beenden',
  },
  sentBy: (site, origin) => `Gesendet von ${site} auf ${origin}. Antworten an diese Adresse liest niemand.`,
}

export const mailTexts: Texts<typeof en> = { en, de }
