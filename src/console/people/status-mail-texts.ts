// Texts of the page on which an Owner asks for mails about incidents and maintenance.
import { withShared } from '../frame/shared-texts.ts'

const en = {
  title: 'Mails about the service',
  lead: (mail: string) => `What the status says, also by mail to ${mail}.`,
  what: 'Each incident, what becomes of it and its end, and each maintenance of the API: one mail each, in your language.',
  isOn: 'You receive these mails',
  isOff: 'You do not receive these mails',
  begin: 'Send me these mails',
  end: 'End these mails',
  begun: 'From now on you receive mails about incidents and maintenance.',
  ended: 'You receive no more mails about incidents and maintenance.',
  ownersOnly: 'These mails are for Owners',
  ownersOnlyDetail: 'You are not an Owner of an organization. The status and its feed are for everybody.',
  noServer: 'This service sends no mails',
  noServerDetail: 'The status and its feed are for everybody.',
  seeStatus: 'See the status',
}

const de: typeof en = {
  title: 'E-Mails über den Dienst',
  lead: (mail) => `Was der Status sagt, auch per E-Mail an ${mail}.`,
  what: 'Jede Störung, was aus ihr wird und ihr Ende, und jede Wartung der API: je eine E-Mail in Ihrer Sprache.',
  isOn: 'Sie bekommen diese E-Mails',
  isOff: 'Sie bekommen diese E-Mails nicht',
  begin: 'Diese E-Mails schicken',
  end: 'Diese E-Mails beenden',
  begun: 'Ab jetzt bekommen Sie E-Mails über Störungen und Wartungen.',
  ended: 'Sie bekommen keine E-Mails über Störungen und Wartungen mehr.',
  ownersOnly: 'Diese E-Mails sind für Inhaber',
  ownersOnlyDetail: 'Sie sind nicht Inhaber einer Organisation. Der Status und sein Feed sind für alle.',
  noServer: 'Dieser Dienst verschickt keine E-Mails',
  noServerDetail: 'Der Status und sein Feed sind für alle.',
  seeStatus: 'Status ansehen',
}

export const statusMailTexts = withShared(en, de)
