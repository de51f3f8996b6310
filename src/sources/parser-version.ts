// Apart from the parsers, so that what only compares versions does not load them.

/**
 * Version of the parsers; increase it whenever they parse the same bytes differently, so that stored documents are
 * parsed again.
 */
export const parserVersion = 34
