// Texts of the pages of company profiles.
import { withShared } from '../frame/shared-texts.ts'

const en = {
  lead: 'A profile says what you do. The score of a hit says how well the tender fits it.',
  create: 'New profile',
  none: 'No profile yet',
  noneDetail:
    'Without one, the score compares with the search itself. With past wins in a profile, the score is more accurate.',
  searches: 'Used by',
  newLead: 'Whatever you leave out counts as unknown and has no effect.',
  savedLead: (version: number) =>
    `Version ${version}. A change applies from the next edition. Scores of existing hits stay.`,
  sector: 'Trades, what you do',
  region: 'Regions where you work',
  words: 'Words for what you do',
  countries: 'Only these countries',
  countriesHint: 'Two letters each, separated by commas: DE, AT. Tenders of other countries have score 0.',
  natureHint: 'None ticked: all of them. Tenders of another nature have score 0.',
  authorities: 'Authorities you have worked for',
  wins: 'Tenders you have won',
  winsHint: 'Find them by the name of your company and tick them: the texts of a tender are compared with them.',
  winner: 'Name of the company',
  findWins: 'Find its wins',
  noWins: 'No award names a company like this. Try fewer words.',
  unknownWin: 'A tender that is not in the stock any more',
  untitled: 'Without a title',
  notSector: 'Trades you do not want',
  notWords: 'Words you do not want',
  save: 'Save profile',
  needed: 'Choose at least one code, word or past win: a score compares with them.',
  created: (name: string) => `“${name}” is saved. Choose it in your searches.`,
  renamed: (name: string) => `It is now called “${name}”.`,
  elsewhere: 'Somebody else has changed this profile',
  noProfile: 'This profile does not exist. It may belong to another organization.',
}

const de: typeof en = {
  lead: 'Ein Profil sagt, was Sie tun. Die Punktzahl eines Treffers sagt, wie gut eine Ausschreibung dazu passt.',
  create: 'Neues Profil',
  none: 'Noch kein Profil',
  noneDetail:
    'Ohne Profil vergleicht die Punktzahl mit der Suche selbst. Mit früheren Zuschlägen im Profil ist die Punktzahl genauer.',
  searches: 'Verwendet von',
  newLead: 'Was Sie weglassen, gilt als nicht bekannt und zählt nicht.',
  savedLead: (version) =>
    `Version ${version}. Eine Änderung gilt ab der nächsten Ausgabe. Punktzahlen vorhandener Treffer bleiben.`,
  sector: 'Ihre Branchen',
  region: 'Regionen, in denen Sie arbeiten',
  words: 'Wörter für das, was Sie tun',
  countries: 'Nur diese Länder',
  countriesHint: 'Je zwei Buchstaben, durch Kommas getrennt: DE, AT. Ausschreibungen anderer Länder haben Punktzahl 0.',
  natureHint: 'Nichts angehakt: alle. Ausschreibungen anderer Art haben Punktzahl 0.',
  authorities: 'Auftraggeber, für die Sie gearbeitet haben',
  wins: 'Ausschreibungen, die Sie gewonnen haben',
  winsHint:
    'Finden Sie sie mit dem Namen Ihrer Firma, und haken Sie sie an: Damit werden die Texte einer Ausschreibung verglichen.',
  winner: 'Name der Firma',
  findWins: 'Zuschläge finden',
  noWins: 'Kein Zuschlag nennt eine solche Firma. Versuchen Sie es mit weniger Wörtern.',
  unknownWin: 'Eine Ausschreibung, die nicht mehr im Bestand ist',
  untitled: 'Ohne Titel',
  notSector: 'Branchen, die Sie nicht wollen',
  notWords: 'Wörter, die Sie nicht wollen',
  save: 'Profil speichern',
  needed: 'Wählen Sie mindestens einen Code, ein Wort oder einen früheren Zuschlag: damit vergleicht die Punktzahl.',
  created: (name) => `„${name}“ ist gespeichert. Wählen Sie es in Ihren Suchen.`,
  renamed: (name) => `Es heißt jetzt „${name}“.`,
  elsewhere: 'Jemand anderes hat dieses Profil inzwischen geändert',
  noProfile: 'Dieses Profil gibt es nicht. Es gehört vielleicht zu einer anderen Organisation.',
}

export const profilesTexts = withShared(en, de)
