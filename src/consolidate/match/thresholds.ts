// The numbers by which matching decides, and where each comes from. Where nothing else is said, a value was chosen on
// the corpus so that the figures in docs/matching.md hold (`npm run bench -- quality`), and a test has a pair at its
// edge (`weights.test.ts`, `same-portal.test.ts`).

// Points, in log-odds: how much more likely an observation is for two notices of one tender than for two tenders.

/** Minimum points for two records to be one tender, if vetoes and corroboration allow it. */
export const mergeScore = 6
/** Number of points for a pair in two languages that barely has `translationPoints`: slightly above `mergeScore`. */
export const translatedScore = 6.5
/** Minimum points that a translation needs, in addition to the same buyer and deadline. */
export const translationPoints = 4
/**
 * Points of a translation for the share of the titles' weight that both have, by the tables of words: strangers and
 * siblings of one project share hardly more than `siblings` (decision 50).
 */
export const translatedWords = { perShare: 10, siblings: 0.15, most: 2.5 } as const
/** Maximum difference in points between two edges of a record of which either may be right. */
export const runnerUpMargin = 1
export const buyerPoints = { equal: 2.6, contained: 1.2, partial: -0.6, conflict: -0.6, unknown: -0.7 } as const
export const deadlinePoints = {
  minute: 2.2,
  shifted: 1.9,
  day: 1.6,
  'next-day': 0.8,
  near: -0.6,
  far: -1.8,
  unknown: 0,
} as const
export const cpvPoints = { same: 1.2, ancestor: 0.5, near: -0.8, conflict: -2, unknown: 0 } as const
export const placePoints = {
  compatible: 0.5,
  'same-region': 0,
  'other-region': -0.8,
  conflict: -2,
  unknown: 0,
} as const

// Corroboration: what has to agree in addition to title and buyer.

/**
 * Independent agreement, apart from title and buyer, that hardly happens by chance. The authority's number counts as
 * two of them: decision 26 has the one case that needs it.
 */
export const strongWeights = { minute: 1, description: 1, reference: 2 } as const
/** Agreement that sometimes happens by chance. */
export const weakWeights = { day: 1, cpv: 1, publication: 1 } as const
/** Maximum days between two publications that count as agreement. */
export const agreedDays = 3
/**
 * Words that each of two descriptions of one tender may have alone: a few, and one for each twenty that both have.
 * Descriptions that differ by more are not a strong agreement (decision 26).
 */
export const ownWordsOfOneTender = { least: 3, ofShared: 0.05 } as const
/**
 * Minimum weight of words beyond the title for a short description to count as distinctive: the trade, the substance,
 * the street.
 */
export const tellingText = 5

// Vetoes: the table in docs/matching.md.

/** Minimum weight, in nats, of the words that only one title has, on both sides, to make them different titles (V2). */
export const substitutionWeight = 3
/**
 * Minimum weight of what each of two short descriptions names alone, to make them different if their codes differ too.
 */
export const shortSubstitutionWeight = 4
/** Maximum days between two results, and between two records of any other stage, of one tender (V8). */
export const maxDaysOfResults = 45
export const maxDaysOfOneStage = 60
/** Maximum days between the nearest deadlines of two records of one tender (V8). */
export const maxDaysOfDeadlines = 60
/** Days from a call to its result: what is published on the day of a call decides another one. */
export const resultDays = { least: 1, most: 720 } as const
/**
 * Maximum days between two notices of different forms that count as one misnamed form: a call and its result, or an
 * announcement and its call, never follow each other so closely.
 */
export const sameNoticeDays = 10

// Within one portal: set on half of the labels in quality/labels, and checked on the other half (decision 26).

/** Maximum number of words that the lesser side may have alone for a text to count as changed. */
export const maxChangedWords = 2
/** Maximum letters of a title that a typo may change; the same words in a different order name a different part. */
export const maxLettersChanged = 3
/**
 * Minimum number of words, beyond the title, for a text to identify the purchase, if the title names a project.
 */
export const fewestOwnWords = 4
/** Minimum number of words of title and text together, if the codes are only the best available. */
export const fewestWords = 6
/** Minimum number of words of a text, if the codes of the two differ. */
export const fewestWordsOfLongText = 12
/** Minimum nats of a title that identify a purchase: of one trade, of goods and services, of any trade. */
export const titleOfTrade = { known: 18, none: 14, any: 30 } as const

// Blocks: what bounds the work for each notice (decision 12: at most 5 ms in a stock of a million).

/** Maximum number of holders of a key; a key with more does not identify one tender. */
export const maxHoldersOfBlock = 150
/**
 * Maximum records for a key of the title alone. Such keys fill as the stock grows; a word that thirty titles share
 * says little.
 */
export const maxHoldersOfWeakBlock = 30
/** Maximum count of a title word, in the counted titles, that makes a key on its own. */
export const rareCount = 12
/** Maximum number of components that hold a weak key of the exact links; with more it distinguishes nothing. */
export const maxWeakHolders = 12

// What is read and stored of a notice: bounds of memory, not of judgment.

/** Maximum characters of a text that are read: its lot and numbers may be anywhere in a form (decision 26). */
export const readCharacters = 6_000
/** Maximum characters of a description that are searched for addresses of documents. */
export const addressCharacters = 8_000
export const maxDocuments = 6
export const maxLotsRead = 20
export const maxDeadlines = 8
export const maxWordsOfTitle = 60
/** Maximum number of hashes kept of one description. */
export const sketchSize = 256
/** Maximum words kept of one description (decision 26). */
export const maxWords = 400
