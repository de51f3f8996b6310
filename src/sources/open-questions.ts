// What nobody but a person can find out about a portal, before a service relies on it: one question each, and where the
// answer is. `tenderstock source terms` lists them.

export const openQuestions: { readonly [sourceId: string]: { readonly question: string; readonly at: string } } = {
  'fr-boamp': {
    question: 'Does robots.txt disallow /api/? Then nothing is requested: the same notices are files of DILA.',
    at: 'https://www.boamp.fr/robots.txt',
  },
  'eu-funding-tenders': {
    question: 'Does the language that is asked for return every call, also those without a translation into it?',
    at: 'https://ec.europa.eu/info/funding-tenders/opportunities/portal',
  },
  'hu-ekr': {
    question: 'Does the day that a reading begins with filter the list? Two public programs contradict each other.',
    at: 'https://ekr.gov.hu',
  },
  'de-vergabe-nrw': {
    question: 'Which addresses have the feeds that the card does not know? It reads three of seven.',
    at: 'https://ckan.open.nrw.de/api/3/action/package_show?id=3d8c019e-60df-4734-81a5-c0f3ac652547',
  },
}
