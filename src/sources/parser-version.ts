// Apart from the parsers, so that what only compares versions does not load them.
import { stockRules } from '../domain/stock-rules.ts'

/** Version of the parsers. */
export const parserVersion = stockRules.parsers
