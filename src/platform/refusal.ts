// What a command refuses that people also run by buttons: codes with values, and the English sentences of commands.
import { type Lines, lineOf } from '../domain/lines.ts'

type Unit = { readonly [name in string]: never }
type Source = { readonly source: string }
/** Keys of two notices. */
type Pair = { readonly left: string; readonly right: string }

export type Refusal =
  | { readonly code: 'no-contact'; readonly values: Unit }
  | { readonly code: 'read-elsewhere'; readonly values: Source }
  | { readonly code: 'service-stopping'; readonly values: Unit }
  | { readonly code: 'no-sample'; readonly values: Source }
  | { readonly code: 'needs-key'; readonly values: Source & { readonly at: string; readonly setting: string } }
  | { readonly code: 'changed-meanwhile'; readonly values: Unit }
  | { readonly code: 'no-quarantine'; readonly values: Source }
  | { readonly code: 'not-turned-off'; readonly values: Source }
  | { readonly code: 'is-one'; readonly values: Pair }
  | { readonly code: 'stays-one'; readonly values: Pair }
  | { readonly code: 'joins-other'; readonly values: Pair }
  | { readonly code: 'separates-other'; readonly values: Pair }
  | { readonly code: 'undecided'; readonly values: Pair }
  | { readonly code: 'same-record'; readonly values: Unit }
  | { readonly code: 'no-record'; readonly values: { readonly name: string } }
  /** `file`: null if the key is in a setting. */
  | { readonly code: 'other-key'; readonly values: { readonly file: string | null; readonly folder: string } }

export const refusalLines = {
  'no-contact': () =>
    'Portals need to know who reads them: set TENDERSTOCK_CONTACT to your email address or web page, and restart.',
  'read-elsewhere': ({ source }) =>
    `Another worker reads ${source}, or a source on the same host right now; wait until it is done and try again.`,
  'service-stopping': () => 'The service is stopping and reads nothing; run this again when it has ended.',
  'no-sample': ({ source }) => `This service reads sample portals, and ${source} is not one of them.`,
  'needs-key': ({ source, at, setting }) => `${source} needs a key: get one at ${at} and set ${setting}.`,
  'changed-meanwhile': () => 'Somebody changed this meanwhile; look at it, and decide again.',
  'no-quarantine': ({ source }) =>
    `The source ${source} is not in quarantine; \`tenderstock status\` lists those that are.`,
  'not-turned-off': ({ source }) =>
    `Nobody has turned off ${source}; \`tenderstock source show ${source}\` says how it is doing.`,
  'is-one': ({ left, right }) => `${left} and ${right} are already one record because of exact references.`,
  'stays-one': ({ left, right }) =>
    `${left} and ${right} belong together because of exact references, which no decision can undo; ` +
    '`tenderstock explain ID` shows them.',
  'joins-other': ({ left, right }) =>
    `The decision is stored, but another decision joins the two: \`tenderstock review show ${left} ${right}\`.`,
  'separates-other': ({ left, right }) =>
    `The decision is stored, but another decision separates the two: \`tenderstock review show ${left} ${right}\`.`,
  undecided: ({ left, right }) => `Nobody has decided on ${left} and ${right}; there is nothing to undo.`,
  'same-record': () => 'Pass two different records.',
  'no-record': ({ name }) =>
    `There is no record or notice "${name}"; \`tenderstock review list\` shows pairs, ` +
    '`tenderstock explain ID` the notices of a record.',
  'other-key': ({ file, folder }) =>
    `The secrets of this stock were encrypted with a different key than ` +
    `${file === null ? 'TENDERSTOCK_SECRET_KEY' : `the file ${file} in ${folder}`}; use the former key, ` +
    'or replace every secret: tenderstock webhook rotate ID --accept-new-key',
} satisfies Lines<Refusal>

export const refusalLine = (refusal: Refusal): string => lineOf(refusalLines, refusal)
