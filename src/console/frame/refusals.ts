// What a command says when it refuses, in the reader's language: its sentences are English, and each is recognized by
// its shape.
import type { Language } from './languages.ts'
import { refusalTexts } from './refusal-texts.ts'

type Texts = (typeof refusalTexts)['en']

/** Each has as many groups as the text has parameters. */
const shapes: { readonly [name in keyof Texts]: RegExp } = {
  noContact: /^Portals need to know who reads them:/,
  readElsewhere: /^Another worker reads (\S+), or a source on the same host right now;/,
  stopping: /^The service is stopping and reads nothing;/,
  noSample: /^This service reads sample portals, and (\S+) is not one of them\.$/,
  needsKey: /^(\S+) needs a key: get one at (\S+) and set (\S+)\.$/,
  noQuarantine: /^The source (\S+) is not in quarantine;/,
  isOne: /^(.+) and (.+) are already one record because of exact references\.$/,
  staysOne: /^(.+) and (.+) belong together because of exact references, which no decision can undo;/,
  joinsOther: /^The decision is stored, but another decision joins the two: `tenderstock review show (\S+) (\S+)`\.$/,
  separatesOther:
    /^The decision is stored, but another decision separates the two: `tenderstock review show (\S+) (\S+)`\.$/,
  undecided: /^Nobody has decided on (.+) and (.+); there is nothing to undo\.$/,
  same: /^Pass two different records\.$/,
  noRecord: /^There is no record or notice "(.*)"; `tenderstock review list`/s,
  otherKey: /^The secrets of this stock were encrypted with a different key than (.+); use the former key,/,
}

/** Undefined for a sentence of unknown shape. */
export function refusalText(sentence: string, language: Language): string | undefined {
  for (const [name, shape] of Object.entries(shapes)) {
    const parts = shape.exec(sentence)
    const say = refusalTexts[language][name as keyof Texts] as (...parts: string[]) => string
    if (parts) return say(...parts.slice(1))
  }
  return undefined
}
