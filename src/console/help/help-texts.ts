// Four pages for whoever decides on bids, in plain words. Names of buttons come from the pages that have them, so that
// both always say the same. `**…**` marks what stands on a page.
import { findTexts } from '../find/find-texts.ts'
import type { Language } from '../frame/languages.ts'
import { withShared } from '../frame/shared-texts.ts'
import { digestsTexts } from '../hits/digests-texts.ts'
import { hitsTexts } from '../hits/hits-texts.ts'
import { profilesTexts } from '../hits/profiles-texts.ts'
import { searchesTexts } from '../hits/searches-texts.ts'
import { decisionTexts } from '../tenders/decision-texts.ts'
import { tenderTexts } from '../tenders/tender-texts.ts'

export const helpNames = ['find', 'decide', 'calendar', 'score'] as const
export type HelpName = (typeof helpNames)[number]

/** The pictures: `browser/help-NAME-LANGUAGE.webp`. */
export const pictureNames = ['find', 'save', 'hits', 'tender', 'calendar', 'why'] as const
export type PictureName = (typeof pictureNames)[number]

export type HelpSection = {
  readonly heading: string
  /** Paragraphs, or what to do one after the other. */
  readonly says: readonly string[]
  readonly areSteps?: true
  /** A picture, and what it shows. */
  readonly picture?: readonly [name: PictureName, shows: string]
}

type HelpPage = { readonly title: string; readonly lead: string; readonly sections: readonly HelpSection[] }

/** What pages call their parts, marked. */
function labelsOf(language: Language) {
  const [find, decide, hits] = [findTexts[language], decisionTexts[language], hitsTexts[language]]
  const [searches, digests, { pageNames }] = [searchesTexts[language], digestsTexts[language], findTexts[language]]
  const marked = (text: string) => `**${text.replace(/[:?]$/, '')}**`
  return {
    tenders: marked(pageNames.tenders),
    hits: marked(pageNames.hits),
    searches: marked(pageNames.searches),
    profiles: marked(pageNames.profiles),
    mails: marked(pageNames.digests),
    settings: marked(pageNames.settings),
    calendar: marked(decide.calendar),
    words: marked(find.words),
    place: marked(find.place),
    search: marked(find.search),
    filters: marked(find.filters),
    trade: marked(find.wholeTrade),
    save: marked(find.save),
    download: marked(find.download),
    estimated: marked(find.estimated),
    announced: marked(find.statuses.planned!),
    bids: marked(find.dueKinds.submission),
    requests: marked(find.dueKinds.participation),
    deliverOpen: marked(searches.deliverOpen),
    saveSearch: marked(searches.save),
    threshold: marked(searches.thresholdLabel),
    explain: marked(searches.whyButton),
    whyNot: marked(searches.why),
    pause: marked(searches.pause),
    keep: marked(hits.keep),
    dismiss: marked(hits.dismiss),
    undo: marked(hits.undo),
    bySearch: marked(hits.bySearch),
    fits: hits.fits,
    parts: hits.partNames,
    why: marked(decide.why),
    inParts: marked(decide.scoreTable),
    mark: marked(decide.markDeadline),
    file: marked(decide.file),
    print: marked(decide.print),
    byMail: marked(decide.byMail),
    createFeed: marked(decide.createFeed),
    revokeFeed: marked(decide.revokeFeed),
    history: marked(tenderTexts[language].history),
    documents: marked(tenderTexts[language].documents),
    addMail: marked(digests.addButton),
    newProfile: marked(profilesTexts[language].create),
    wins: marked(profilesTexts[language].wins),
  }
}

const english = labelsOf('en')
const german = labelsOf('de')

const en = {
  title: 'Help for bid managers',
  lead: 'Four short pages, from the first search to the deadline in your calendar.',
  others: 'The other pages',
  pages: {
    find: {
      title: 'Find tenders and save a search',
      lead: 'A few words and a place are enough. A saved search then looks for you.',
      sections: [
        {
          heading: 'Look for tenders',
          areSteps: true,
          says: [
            `Open ${english.tenders}. You see what is open now, the next deadline first.`,
            `Write under ${english.words} what you do, such as “roof”, and under ${english.place} a region or a ` +
              `country, such as “Saxony”. Press ${english.search}.`,
            'Too many? Choose a trade, a region, a deadline or a value beside the list, on a phone behind ' +
              `${english.filters}. Each choice says how many tenders it leaves.`,
            'Too few? Take one of the chosen parts away with ×.',
          ],
          picture: ['find', 'The page of tenders with a word, the number found, and the button that saves the search'],
        },
        {
          heading: 'Which words find what',
          says: [
            'All your words must occur in a tender. A word of five letters or more also finds longer words that begin ' +
              'or end with it; a shorter one is found only as a whole word.',
            'Words are not translated: an English word does not find a German notice. The trades after ' +
              `${english.trade} do, because every notice has a code for its trade, whatever its language.`,
          ],
        },
        {
          heading: 'Save the search',
          areSteps: true,
          says: [
            `Press ${english.save}. The sentence below it says what a saved search leaves out, if anything.`,
            `Leave ${english.deliverOpen} ticked, if you want the open ones on your list at once.`,
            `Press ${english.saveSearch}. From now on each new tender that fits is a hit: it stands under ${english.hits}, and can come by mail.`,
          ],
          picture: ['save', 'The end of the form of a new search, with the button that saves it'],
        },
        {
          heading: 'Take a list with you',
          says: [
            `${english.download} makes a table that Excel opens. The address of the page holds your question: send it to a colleague, who sees the same.`,
          ],
        },
      ],
    },
    decide: {
      title: 'Read a tender and decide',
      lead: 'What stands where on the page of a tender, and how to go through many hits quickly.',
      sections: [
        {
          heading: 'The first look',
          says: [
            `The state comes first. ${english.announced} is not open: nobody can bid yet.`,
            `The deadline is the one that you meet first, in the local time of the authority: ${english.bids}, or ` +
              `${english.requests} where you must apply before you may bid.`,
            `A value marked ${english.estimated} is ours, with its usual range. Without the mark it comes from the notice.`,
          ],
          picture: ['tender', 'The top of the page of a tender: buttons to decide, deadline, value and lots'],
        },
        {
          heading: 'Keep or dismiss',
          says: [
            `${english.keep} and ${english.dismiss} stand on the page of a tender and beside each entry of ` +
              `${english.hits}. Your colleagues see what you decided. Every decision can be taken back with ` +
              `${english.undo}.`,
            'By keyboard: J and K move, Y keeps, X dismisses, Z undoes, and ? shows the keys. A box beside them turns the keys off.',
          ],
          picture: ['hits', 'The list of hits with score, deadline and the buttons of each'],
        },
        {
          heading: 'What changed since',
          says: [
            `${english.history} tells what each notice changed, such as “The deadline moved”. Open it again before you send a bid.`,
          ],
        },
        {
          heading: 'Documents and bids',
          says: [
            `${english.documents} leads to the portal of the authority. Documents, questions and bids belong there; nothing is handed in here.`,
            'The name of the authority leads to its page: what it buys now, what it awarded since 2022, and to whom.',
          ],
        },
      ],
    },
    calendar: {
      title: 'From a hit to your calendar and your mail',
      lead: 'Deadlines where you plan your week, and new hits where you read.',
      sections: [
        {
          heading: 'Deadlines in your calendar',
          areSteps: true,
          says: [
            `Press ${english.mark} on the page of a tender.`,
            `Open ${english.settings}, then ${english.calendar}, and press ${english.createFeed}.`,
            'Add the address to your calendar as a subscription. It is shown only once, so copy it now.',
            'Your calendar looks for changes about once an hour. If a deadline moves, the entry moves too.',
          ],
          picture: ['calendar', 'The page of the calendar with a marked tender'],
        },
        {
          heading: 'One deadline only',
          says: [`${english.file} on the page of a tender adds this one deadline. It does not move later.`],
        },
        {
          heading: 'Who sees it',
          says: [
            `Whoever knows the address sees title, authority, deadline and link of what you marked, and nothing else. ${english.revokeFeed} ends it.`,
          ],
        },
        {
          heading: 'New hits by mail',
          areSteps: true,
          says: [
            `Open ${english.mails}, choose a search, write the address of a person and when the mail should come. Press ${english.addMail}.`,
            'One mail brings the hits of all searches of this person, by deadline. Without new hits there is no mail.',
            'A link in each mail ends one search, or all of it.',
          ],
        },
        {
          heading: 'Show it to somebody',
          says: [
            `${english.byMail} opens a mail with the address of the page. ${english.print} leaves out menu and buttons.`,
          ],
        },
      ],
    },
    score: {
      title: 'What the score means, and why a tender is found or not',
      lead: 'The score orders your hits. It is not the chance to win.',
      sections: [
        {
          heading: 'From 0 to 100',
          says: [
            `The score says how well a tender fits a company profile: from 80 “${english.fits.strong}”, from 60 ` +
              `“${english.fits.good}”, from 40 “${english.fits.partial}”, below it “${english.fits.weak}”. It is made ` +
              'when the hit is found, and stays.',
            `Without a profile, a hit says ${english.bySearch}: then the score only puts the best matches first.`,
          ],
        },
        {
          heading: 'What counts',
          says: [
            `${english.parts.cpv}, ${english.parts.keywords}, ${english.parts.region} and ${english.parts.value} ` +
              `count as far as both the tender and the profile name them. ${english.parts.pastWins} count most: the ` +
              'tender is compared with what you have won.',
            `${english.why} on the page of a hit shows which clauses of the search hold; ${english.inParts} shows the points.`,
          ],
          picture: ['why', 'Why a hit was found: its score, the search and the clauses that hold'],
        },
        {
          heading: 'Make it better',
          areSteps: true,
          says: [
            `Open ${english.profiles} and press ${english.newProfile}.`,
            `Say what you do and where. Find what you have won by the name of your company, and tick it under ${english.wins}.`,
            `Choose the profile in your search. ${english.threshold} is the least score of a hit: lower it to see more.`,
          ],
        },
        {
          heading: 'Why is a tender missing?',
          says: [
            `Open the search under ${english.searches}. Below ${english.whyNot} write the title of the tender, or ` +
              `paste the link to it, and press ${english.explain}: a table says which clause does not hold.`,
            'Often the words are in another language, the region is coded more widely, the tender is only announced, or its score is too low.',
            'A search finds what is new or changes after it was saved. What was open before comes only with ' +
              `${english.deliverOpen}. A search with ${english.pause} pressed finds nothing.`,
          ],
        },
      ],
    },
  } as { readonly [name in HelpName]: HelpPage },
}

const de: typeof en = {
  title: 'Hilfe für Angebotsmanager',
  lead: 'Vier kurze Seiten, von der ersten Suche bis zur Frist in Ihrem Kalender.',
  others: 'Die anderen Seiten',
  pages: {
    find: {
      title: 'Ausschreibungen finden und eine Suche speichern',
      lead: 'Ein paar Wörter und ein Ort genügen. Danach sucht eine gespeicherte Suche für Sie.',
      sections: [
        {
          heading: 'Ausschreibungen suchen',
          areSteps: true,
          says: [
            `Öffnen Sie ${german.tenders}. Sie sehen, was jetzt offen ist, die nächste Frist zuerst.`,
            `Schreiben Sie unter ${german.words}, was Sie tun, etwa „Dachsanierung“, und unter ${german.place} eine ` +
              `Region oder ein Land, etwa „Sachsen“. Drücken Sie ${german.search}.`,
            `Zu viele? Wählen Sie neben der Liste, auf dem Telefon hinter ${german.filters}, eine Branche, eine ` +
              'Region, eine Frist oder einen Wert. Jede Wahl sagt, wie viele Ausschreibungen sie übrig lässt.',
            'Zu wenige? Nehmen Sie mit × etwas von dem weg, was gewählt ist.',
          ],
          picture: [
            'find',
            'Die Seite der Ausschreibungen mit einem Wort, der Zahl der Ergebnisse und dem Knopf zum Speichern',
          ],
        },
        {
          heading: 'Welche Wörter was finden',
          says: [
            'Alle Ihre Wörter müssen in einer Ausschreibung vorkommen. Ein Wort ab fünf Buchstaben findet auch ' +
              'längere, die damit beginnen oder enden; ein kürzeres wird nur als ganzes Wort gefunden.',
            'Wörter werden nicht übersetzt: Ein deutsches Wort findet keine polnische Bekanntmachung. Die Branchen ' +
              `hinter ${german.trade} finden sie, denn jede Bekanntmachung hat einen Code für ihre Branche, gleich in ` +
              'welcher Sprache.',
          ],
        },
        {
          heading: 'Die Suche speichern',
          areSteps: true,
          says: [
            `Drücken Sie ${german.save}. Der Satz darunter sagt, ob eine gespeicherte Suche etwas weglässt.`,
            `Lassen Sie ${german.deliverOpen} angekreuzt, wenn die offenen gleich auf Ihrer Liste stehen sollen.`,
            `Drücken Sie ${german.saveSearch}. Ab jetzt ist jede neue Ausschreibung, die passt, ein Treffer: Er steht ` +
              `unter ${german.hits} und kann per E-Mail kommen.`,
          ],
          picture: ['save', 'Das Ende des Formulars einer neuen Suche, mit dem Knopf, der sie speichert'],
        },
        {
          heading: 'Eine Liste mitnehmen',
          says: [
            `${german.download} macht eine Tabelle, die Excel öffnet. Die Adresse der Seite enthält Ihre Frage: ` +
              'Schicken Sie sie jemandem im Team, und beide sehen dasselbe.',
          ],
        },
      ],
    },
    decide: {
      title: 'Eine Ausschreibung lesen und entscheiden',
      lead: 'Was auf der Seite einer Ausschreibung wo steht, und wie Sie viele Treffer schnell durchgehen.',
      sections: [
        {
          heading: 'Der erste Blick',
          says: [
            `Zuerst kommt der Stand. ${german.announced} ist nicht offen: Noch kann niemand bieten.`,
            `Die Frist ist die, die Sie zuerst einhalten müssen, in der Ortszeit des Auftraggebers: ${german.bids}, ` +
              `oder ${german.requests}, wo Sie sich bewerben müssen, bevor Sie bieten dürfen.`,
            `Ein Wert mit dem Zusatz ${german.estimated} ist von uns, mit seiner üblichen Spanne. Ohne ihn steht er in der Bekanntmachung.`,
          ],
          picture: ['tender', 'Der Kopf der Seite einer Ausschreibung: Knöpfe zum Entscheiden, Frist, Wert und Lose'],
        },
        {
          heading: 'Behalten oder verwerfen',
          says: [
            `${german.keep} und ${german.dismiss} stehen auf der Seite einer Ausschreibung und neben jedem Eintrag ` +
              `unter ${german.hits}. Ihr Team sieht, was Sie entschieden haben. Mit ${german.undo} nehmen Sie jede ` +
              'Entscheidung zurück.',
            'Mit der Tastatur: J und K gehen weiter und zurück, Y behält, X verwirft, Z nimmt zurück, und ? zeigt die ' +
              'Tasten. Ein Kästchen daneben schaltet sie aus.',
          ],
          picture: ['hits', 'Die Liste der Treffer mit Punktzahl, Frist und den Knöpfen jedes Treffers'],
        },
        {
          heading: 'Was sich seither geändert hat',
          says: [
            `${german.history} sagt, was jede Bekanntmachung geändert hat, etwa dass die Frist verschoben wurde. ` +
              'Sehen Sie dort noch einmal nach, bevor Sie ein Angebot abgeben.',
          ],
        },
        {
          heading: 'Unterlagen und Angebote',
          says: [
            `${german.documents} führt zum Portal des Auftraggebers. Unterlagen, Fragen und Angebote gehören dorthin; hier wird nichts abgegeben.`,
            'Der Name des Auftraggebers führt zu seiner Seite: was er jetzt kauft, was er seit 2022 vergeben hat, und an wen.',
          ],
        },
      ],
    },
    calendar: {
      title: 'Vom Treffer in Ihren Kalender und Ihr Postfach',
      lead: 'Fristen dort, wo Sie Ihre Woche planen, und neue Treffer dort, wo Sie lesen.',
      sections: [
        {
          heading: 'Fristen in Ihrem Kalender',
          areSteps: true,
          says: [
            `Drücken Sie ${german.mark} auf der Seite einer Ausschreibung.`,
            `Öffnen Sie ${german.settings}, dann ${german.calendar}, und drücken Sie ${german.createFeed}.`,
            'Fügen Sie die Adresse Ihrem Kalender als Abonnement hinzu. Sie wird nur einmal gezeigt; kopieren Sie sie jetzt.',
            'Ihr Kalender sieht etwa einmal in der Stunde nach. Wird eine Frist verschoben, verschiebt sich auch der Eintrag.',
          ],
          picture: ['calendar', 'Die Seite des Kalenders mit einer gemerkten Ausschreibung'],
        },
        {
          heading: 'Nur eine Frist',
          says: [
            `${german.file} auf der Seite einer Ausschreibung fügt diese eine Frist hinzu. Sie verschiebt sich später nicht.`,
          ],
        },
        {
          heading: 'Wer es sieht',
          says: [
            `Wer die Adresse kennt, sieht Titel, Auftraggeber, Frist und Link zu dem, was Sie gemerkt haben, sonst nichts. ${german.revokeFeed} beendet das.`,
          ],
        },
        {
          heading: 'Neue Treffer per E-Mail',
          areSteps: true,
          says: [
            `Öffnen Sie ${german.mails}, wählen Sie eine Suche, und schreiben Sie die Adresse einer Person und wann ` +
              `die E-Mail kommen soll. Drücken Sie ${german.addMail}.`,
            'Eine E-Mail bringt die Treffer aller Suchen dieser Person, nach Frist geordnet. Ohne neue Treffer kommt keine.',
            'Ein Link in jeder E-Mail beendet eine Suche oder alles.',
          ],
        },
        {
          heading: 'Jemandem zeigen',
          says: [
            `${german.byMail} öffnet eine E-Mail mit der Adresse der Seite. ${german.print} lässt Menü und Knöpfe weg.`,
          ],
        },
      ],
    },
    score: {
      title: 'Was die Punktzahl bedeutet, und warum etwas gefunden wird oder nicht',
      lead: 'Die Punktzahl ordnet Ihre Treffer. Sie ist nicht die Aussicht auf den Zuschlag.',
      sections: [
        {
          heading: 'Von 0 bis 100',
          says: [
            'Die Punktzahl sagt, wie gut eine Ausschreibung zu einem Firmenprofil passt: ab 80 ' +
              `„${german.fits.strong}“, ab 60 „${german.fits.good}“, ab 40 „${german.fits.partial}“, darunter ` +
              `„${german.fits.weak}“. Sie entsteht, wenn der Treffer gefunden wird, und bleibt.`,
            `Ohne Profil steht bei einem Treffer ${german.bySearch}: Dann stellt die Punktzahl nur die besten nach vorn.`,
          ],
        },
        {
          heading: 'Was zählt',
          says: [
            `${german.parts.cpv}, ${german.parts.keywords}, ${german.parts.region} und ${german.parts.value} zählen, ` +
              `soweit Ausschreibung und Profil sie nennen. ${german.parts.pastWins} zählen am meisten: Die ` +
              'Ausschreibung wird mit dem verglichen, was Sie gewonnen haben.',
            `${german.why} auf der Seite eines Treffers zeigt, welche Bedingungen der Suche erfüllt sind; ${german.inParts} zeigt die Punkte.`,
          ],
          picture: ['why', 'Warum ein Treffer gefunden wurde: Punktzahl, Suche und erfüllte Bedingungen'],
        },
        {
          heading: 'Besser machen',
          areSteps: true,
          says: [
            `Öffnen Sie ${german.profiles}, und drücken Sie ${german.newProfile}.`,
            `Sagen Sie, was Sie tun und wo. Suchen Sie mit dem Namen Ihrer Firma, was Sie gewonnen haben, und kreuzen Sie es unter ${german.wins} an.`,
            `Wählen Sie das Profil in Ihrer Suche. ${german.threshold} ist die kleinste Punktzahl eines Treffers: Eine kleinere zeigt mehr.`,
          ],
        },
        {
          heading: 'Warum fehlt eine Ausschreibung?',
          says: [
            `Öffnen Sie die Suche unter ${german.searches}. Schreiben Sie unter ${german.whyNot} den Titel der ` +
              `Ausschreibung, oder fügen Sie den Link zu ihr ein, und drücken Sie ${german.explain}: Eine Tabelle sagt, ` +
              'welche Bedingung nicht erfüllt ist.',
            'Oft sind die Wörter in einer anderen Sprache, die Region ist gröber angegeben, die Ausschreibung ist nur ' +
              'angekündigt, oder ihre Punktzahl ist zu klein.',
            'Eine Suche findet, was neu ist oder sich ändert, nachdem sie gespeichert wurde. Was vorher offen war, ' +
              `kommt nur mit ${german.deliverOpen}. Ist ${german.pause} gedrückt, findet die Suche nichts.`,
          ],
        },
      ],
    },
  },
}

export const helpTexts = withShared(en, de)
