// Texts of signing in: the page, links, the first person, invitations, passkeys, the company's own sign-in.
import { withShared } from '../frame/shared-texts.ts'

const en = {
  lead: 'No password. We mail you a link that works once, for ten minutes.',
  again: 'Sign in again',
  againLead: (mail: string) =>
    `You are signed in as ${mail}. What you want to do needs a sign-in that is at most 15 minutes old.`,
  ended: 'You are no longer signed in',
  endedWhy: 'A session ends after 12 hours without use, after 30 days, and when a role changes.',
  mail: 'Work mail address',
  send: 'Mail me a link',
  or: 'or',
  passkey: 'Use a passkey',
  company: (host: string) => `Sign in through ${host}`,
  needsInvitation: 'You need an invitation. An Owner of your organization can send one.',
  mailMissing: 'This service sends no mails yet',
  askOperator:
    'An operator can make a link for you, with a button at your organization or on the machine that runs it:',
  nobody: 'Nobody is here yet.',
  nobodyHelp: 'The first link is made on the machine that runs this service:',
  firstOperator: 'Whoever opens it becomes the operator. It works once, for ten minutes.',
  tooMany: 'Your network requested five links for this address within ten minutes. Use one of them, or a passkey.',
  sent: 'Check your mailbox',
  sentLead: 'If this address belongs to somebody here, a link is on its way. It works once, for ten minutes.',
  sentHelp: 'Nothing after two minutes? Check your spam folder, or send it again.',
  backToSignIn: 'Back to the sign-in',
  linkTitle: (mail: string) => `Sign in as ${mail}`,
  linkLead: 'The link works once. It signs in this browser.',
  gone: 'This link no longer works',
  goneLead: 'It was used, it is too old, or it was not copied completely. Each link works once.',
  newLink: 'Get a new link',
  firstTitle: 'Welcome to Tenderstock',
  firstLead: 'You are the first here. One click makes you the operator of this service.',
  firstTrial: 'You also become Owner of the trial organization, which has made-up tenders to look at.',
  firstMail: 'Your mail address (optional)',
  firstMailHint: 'For links to sign in by mail. Without it, the command line makes them.',
  firstButton: 'Begin',
  signedOut: 'You are signed out.',
  invitationTitle: (organization: string) => `Join ${organization}`,
  invitationLead: (invitedBy: string, isOwner: boolean) =>
    `${invitedBy} invites you to join ${isOwner ? 'as an Owner' : 'as a member'}.`,
  invitationAs: (mail: string) => `You join as ${mail}, and this browser is signed in.`,
  invitationOther: (other: string, mail: string) =>
    `You are now signed in as ${other}. Joining signs you out there and in as ${mail}.`,
  invitationStays: (mail: string) => `You join as ${mail}, with the account that you are signed in to.`,
  invitationKnown: (mail: string) =>
    `There is an account for ${mail}. This link does not sign it in: sign in with a passkey, with your company, or with a ` +
    'link that the operator makes. Then open this page again.',
  invitationButton: (organization: string) => `Join ${organization}`,
  invitationGone: 'This invitation is no longer open',
  invitationGoneLead:
    'It was accepted, withdrawn, or is older than seven days. Ask the person who invited you for a new one.',
  joined: (organization: string) => `You are in ${organization}.`,
  advice:
    'Next time you need no link: with a passkey you sign in by unlocking your device; add one under “Your settings”.',
  passkeyFailed: 'This passkey did not sign you in',
  passkeyFailedWhy: 'It was removed here, or the page was open for too long. Try again, or request a link by mail.',
  passkeyBlocked: 'This passkey is blocked',
  passkeyBlockedWhy:
    'Its counter went back, so a copy of it may exist. Request a link by mail or use another passkey; then add a new one in your settings.',
  companyFailed: 'The sign-in through your company did not work',
  companyWhy: {
    state: 'It was started in another browser, or more than ten minutes ago. Start again.',
    refused: 'The provider refused it. Start again, or request a link by mail.',
    unreachable: 'The provider does not answer at the moment. Try again later, or request a link by mail.',
    unverified: 'The sign-in of your company does not confirm your mail address, so we cannot find you by it.',
    unknown: 'Your mail address is not known here. Ask an Owner of your organization for an invitation.',
    other: 'Somebody else from your company has signed in with this mail address before. Request a link by mail.',
  },
}

const de: typeof en = {
  lead: 'Ohne Kennwort: Sie bekommen einen Link per E-Mail. Er gilt einmal, zehn Minuten lang.',
  again: 'Noch einmal anmelden',
  againLead: (mail) =>
    `Sie sind als ${mail} angemeldet. Was Sie vorhaben, braucht eine Anmeldung, die höchstens 15 Minuten alt ist.`,
  ended: 'Sie sind nicht mehr angemeldet',
  endedWhy: 'Eine Sitzung endet nach 12 Stunden ohne Nutzung, nach 30 Tagen und wenn sich eine Rolle ändert.',
  mail: 'Geschäftliche E-Mail-Adresse',
  send: 'Link per E-Mail senden',
  or: 'oder',
  passkey: 'Passkey verwenden',
  company: (host) => `Über ${host} anmelden`,
  needsInvitation: 'Sie brauchen eine Einladung. Ein Inhaber Ihrer Organisation kann sie senden.',
  mailMissing: 'Dieser Dienst versendet noch keine E-Mails',
  askOperator: 'Der Betreiber kann einen Link für Sie erzeugen, bei Ihrer Organisation oder auf seinem Rechner:',
  nobody: 'Hier ist noch niemand.',
  nobodyHelp: 'Den ersten Link erzeugt dieser Befehl auf dem Rechner, auf dem der Dienst läuft:',
  firstOperator: 'Wer ihn öffnet, wird Betreiber. Er gilt einmal, zehn Minuten lang.',
  tooMany:
    'Aus Ihrem Netz wurden für diese Adresse in zehn Minuten fünf Links angefordert. Verwenden Sie einen davon, oder einen Passkey.',
  sent: 'Sehen Sie in Ihr Postfach',
  sentLead: 'Wenn die Adresse hier zu jemandem gehört, ist ein Link unterwegs. Er gilt einmal, zehn Minuten lang.',
  sentHelp: 'Nach zwei Minuten noch nichts? Sehen Sie im Spam-Ordner nach, oder senden Sie den Link noch einmal.',
  backToSignIn: 'Zurück zur Anmeldung',
  linkTitle: (mail) => `Als ${mail} anmelden`,
  linkLead: 'Der Link gilt einmal. Er meldet diesen Browser an.',
  gone: 'Dieser Link gilt nicht mehr',
  goneLead: 'Er wurde benutzt, ist zu alt oder nicht vollständig. Jeder Link gilt einmal.',
  newLink: 'Neuen Link holen',
  firstTitle: 'Willkommen bei Tenderstock',
  firstLead: 'Sie sind hier die erste Person. Ein Klick macht Sie zum Betreiber dieses Dienstes.',
  firstTrial: 'Sie werden auch Inhaber einer Organisation zum Ausprobieren. Ihre Ausschreibungen sind erfunden.',
  firstMail: 'Ihre E-Mail-Adresse (freiwillig)',
  firstMailHint: 'Für Links zum Anmelden per E-Mail. Ohne sie erzeugt die Befehlszeile die Links.',
  firstButton: 'Beginnen',
  signedOut: 'Sie sind abgemeldet.',
  invitationTitle: (organization) => `${organization} beitreten`,
  invitationLead: (invitedBy, isOwner) => `${invitedBy} lädt Sie als ${isOwner ? 'Inhaber' : 'Mitglied'} ein.`,
  invitationAs: (mail) => `Sie treten als ${mail} bei, und dieser Browser wird angemeldet.`,
  invitationOther: (other, mail) =>
    `Sie sind gerade als ${other} angemeldet. Der Beitritt meldet Sie dort ab und als ${mail} an.`,
  invitationStays: (mail) => `Sie treten als ${mail} bei, mit dem Konto, an dem Sie angemeldet sind.`,
  invitationKnown: (mail) =>
    `Für ${mail} gibt es ein Konto. Dieser Link meldet es nicht an: Melden Sie sich mit einem Passkey an, über Ihr ` +
    'Unternehmen oder mit einem Link, den der Betreiber macht. Öffnen Sie dann diese Seite wieder.',
  invitationButton: (organization) => `${organization} beitreten`,
  invitationGone: 'Diese Einladung ist nicht mehr offen',
  invitationGoneLead:
    'Sie wurde angenommen, zurückgezogen oder ist älter als sieben Tage. Bitten Sie die Person, die Sie eingeladen hat, um eine neue.',
  joined: (organization) => `Sie gehören jetzt zu ${organization}.`,
  advice:
    'Nächstes Mal geht es ohne Link: Mit einem Passkey melden Sie sich über die Sperre Ihres Geräts an. Fügen Sie unter ' +
    '„Ihre Einstellungen“ einen hinzu.',
  passkeyFailed: 'Dieser Passkey hat Sie nicht angemeldet',
  passkeyFailedWhy:
    'Er wurde hier entfernt, oder die Seite war zu lange offen. Versuchen Sie es noch einmal, oder holen Sie einen Link per E-Mail.',
  passkeyBlocked: 'Dieser Passkey ist gesperrt',
  passkeyBlockedWhy:
    'Sein Zähler ist zurückgegangen, es gibt also vielleicht eine Kopie. Holen Sie einen Link per E-Mail, ' +
    'oder verwenden Sie einen anderen Passkey. Fügen Sie dann in Ihren Einstellungen einen neuen hinzu.',
  companyFailed: 'Die Anmeldung über Ihr Unternehmen hat nicht geklappt',
  companyWhy: {
    state: 'Sie wurde in einem anderen Browser oder vor mehr als zehn Minuten begonnen. Beginnen Sie neu.',
    refused: 'Der Anmeldedienst hat sie abgelehnt. Beginnen Sie neu, oder holen Sie einen Link per E-Mail.',
    unreachable:
      'Der Anmeldedienst antwortet gerade nicht. Versuchen Sie es später, oder holen Sie einen Link per E-Mail.',
    unverified:
      'Die Anmeldung Ihres Unternehmens bestätigt Ihre E-Mail-Adresse nicht. Deshalb finden wir Ihr Konto damit nicht.',
    unknown:
      'Mit Ihrer E-Mail-Adresse ist hier niemand bekannt. Bitten Sie einen Inhaber Ihrer Organisation um eine Einladung.',
    other:
      'Mit dieser E-Mail-Adresse hat sich schon jemand anderes aus Ihrem Unternehmen angemeldet. Holen Sie einen Link per E-Mail.',
  },
}

export const signInTexts = withShared(en, de)
