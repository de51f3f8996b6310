// What goes wrong at portals: each fault with its share, drawn from a seed and bounded, so that a patient client always
// succeeds.
import { hourMs } from '../domain/time.ts'
import { seeded } from './samples/seeded.ts'

/**
 * Every documented fault. `answer` faults spoil a whole answer, at most `maxPerResource` times for one address;
 * `content` faults spoil what a good answer says, at most once each for one address; `portal` faults last.
 */
export const faultTable = {
  'waf-challenge': { kind: 'answer', what: 'status 202 without a body, header x-amzn-waf-action: challenge' },
  'cookie-challenge': { kind: 'answer', what: 'status 200, a page of HTML that sets a cookie and asks to come again' },
  'rate-limit': { kind: 'answer', what: 'status 429 with Retry-After' },
  'rate-limit-bare': { kind: 'answer', what: 'status 429 without Retry-After' },
  forbidden: { kind: 'answer', what: 'status 403; the next answer from the same address is 429' },
  'server-error': { kind: 'answer', what: 'status 500, 502 or 503' },
  reset: { kind: 'answer', what: 'the connection is reset before or in the midst of the body' },
  slow: { kind: 'answer', what: 'the body comes in small pieces with pauses between them; it is complete' },
  maintenance: { kind: 'answer', what: 'status 200, a page of HTML instead of data' },
  'error-body': {
    kind: 'answer',
    what: 'status 200, JSON that says {"status":…,"detail":…}, or what the card calls a fault',
  },
  'empty-body': { kind: 'answer', what: 'status 200 without a body' },
  'cut-short': { kind: 'answer', what: 'the body ends before the length that Content-Length announced' },
  'cut-quietly': { kind: 'answer', what: 'the body is cut, and Content-Length is that of the rest' },
  redirect: { kind: 'answer', what: 'status 302, 307 or 308 to another path of the same host, where the answer is' },
  'total-more': { kind: 'content', what: 'the announced total is more than what is delivered' },
  'total-less': { kind: 'content', what: 'the announced total is less than what is delivered' },
  'moving-pages': {
    kind: 'content',
    what: 'entries come in at the front while pages are walked: the next page repeats some',
  },
  duplicates: {
    kind: 'content',
    what: 'the last entry of a page is the first of the next as well, or an entry stands twice',
  },
  'early-short-page': {
    kind: 'content',
    what: 'a page in the midst holds fewer entries than asked for; the rest stands on none',
  },
  'dropped-rows': {
    kind: 'content',
    what: 'walking on by cursor leaves out entries between two pages; not in feeds, which are walked once',
  },
  'failing-offset': { kind: 'answer', what: 'single pages behind the first answer 500, others do not' },
  'ignored-parameters': { kind: 'content', what: 'the window of dates is ignored and everything comes' },
  'clamped-window': {
    kind: 'content',
    what: 'of the window of dates only its newer half is looked at, without a word',
  },
  'token-after-end': {
    kind: 'content',
    what: 'behind the last entry there is another cursor, and behind that an empty page',
  },
  'stale-etag': { kind: 'content', what: 'status 304 though the answer has changed' },
  'unspecific-etag': { kind: 'content', what: 'every address of the portal carries the same ETag' },
  'broken-member': {
    kind: 'content',
    what: 'an archive holds one more member, cut JSON or XML; a list holds a member that is none',
  },
  'nul-bytes': { kind: 'content', what: 'NUL bytes stand between the entries of a list, or in a member of an archive' },
  gzip: { kind: 'answer', what: 'the body is compressed (Content-Encoding: gzip) for clients that take it' },
  late: {
    kind: 'portal',
    what: 'entries appear hours after the date that they carry, within the days on which the card reads again',
  },
  'capped-pages': {
    kind: 'portal',
    what: 'pages of lists hold at most three entries, whatever is asked for',
  },
  'last-page-again': {
    kind: 'portal',
    what: 'for every page behind the last one the last one comes again, in lists by page or offset',
  },
  silent: { kind: 'portal', what: 'from the beginning of the made-up world on nothing new appears' },
  gone: { kind: 'portal', what: 'for an hour at a time connections are refused' },
} as const satisfies {
  readonly [name: string]: { readonly kind: 'answer' | 'content' | 'portal'; readonly what: string }
}

export type FaultName = keyof typeof faultTable

export const faultNames = Object.keys(faultTable) as FaultName[]

type FaultSetting =
  | number
  | {
      /**
       * Share of requests, from 0 to 1; of entries for `late`, of portals for `silent`, `capped-pages` and
       * `last-page-again`, of hours for `gone`.
       */
      readonly share: number
      /** Limits it to these sources; default: all. */
      readonly sources?: readonly string[]
      /**
       * Maximum times at one address; default 2 for all faults of an answer together, 1 for each fault of the content.
       */
      readonly most?: number
    }

export type Faults = { readonly [name in FaultName]?: FaultSetting }

/** Maximum number of faults of answers at one address; afterwards its answers are good. */
const maxPerResource = 2

/** Decides which fault happens when. The same seed and the same requests give the same faults. */
export type FaultDice = {
  /**
   * Whether a fault happens to this request. `resource` is its address with its body. A fault of a portal always
   * happens to all of its requests, or never.
   */
  readonly happens: (name: FaultName, sourceId: string, resource: string) => boolean
  /** Hours by which an entry is late; 0 for most. Never more than `maxHours`. */
  readonly lateHours: (sourceId: string, entryId: string, maxHours: number) => number
  readonly isGone: (sourceId: string, now: number) => boolean
  /** How often each fault has happened. */
  readonly counts: () => { readonly [name in FaultName]?: number }
  /** Replaces the faults; the counts of each address are kept. */
  readonly change: (faults: Faults) => void
}

export function faultDice(seed: string, faults: Faults): FaultDice {
  let settings = faults
  const asked = new Map<string, number>()
  const met = new Map<string, number>()
  const counts: { [name in FaultName]?: number } = {}
  const shareOf = (name: FaultName, sourceId: string) => {
    const setting = settings[name]
    if (setting === undefined) return 0
    if (typeof setting === 'number') return setting
    return setting.sources && !setting.sources.includes(sourceId) ? 0 : setting.share
  }
  const draw = (key: string) => seeded(`${seed}|${key}`).next()
  const raise = (map: Map<string, number>, key: string) => {
    const next = (map.get(key) ?? 0) + 1
    map.set(key, next)
    return next
  }
  const count = (name: FaultName) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  return {
    happens: (name, sourceId, resource) => {
      const share = shareOf(name, sourceId)
      if (share <= 0) return false
      if (faultTable[name].kind === 'portal') {
        const isHit = draw(`${name}|${sourceId}`) < share
        if (isHit) count(name)
        return isHit
      }
      const own = `${name}|${sourceId}|${resource}`
      const turn = raise(asked, own)
      const isOfAnswer = faultTable[name].kind === 'answer'
      const bound =
        isOfAnswer && name !== 'gzip' && name !== 'slow' && name !== 'redirect' ? `${sourceId}|${resource}` : own
      const setting = settings[name]
      const most = (typeof setting === 'object' ? setting.most : undefined) ?? (isOfAnswer ? maxPerResource : 1)
      if ((met.get(bound) ?? 0) >= most || draw(`${own}|${turn}`) >= share) return false
      raise(met, bound)
      // the 429 that follows is one more
      if (name === 'forbidden') raise(met, bound)
      count(name)
      return true
    },
    lateHours: (sourceId, entryId, maxHours) => {
      const share = shareOf('late', sourceId)
      if (share <= 0 || maxHours < 1 || draw(`late|${sourceId}|${entryId}`) >= share) return 0
      return seeded(`${seed}|hours|${sourceId}|${entryId}`).whole(1, Math.floor(maxHours))
    },
    isGone: (sourceId, now) => {
      const isGone = draw(`gone|${sourceId}|${Math.floor(now / hourMs)}`) < shareOf('gone', sourceId)
      if (isGone) count('gone')
      return isGone
    },
    counts: () => ({ ...counts }),
    change: (next) => {
      settings = next
    },
  }
}

/** Parses `--fault NAME[=share]` into settings. Throws RangeError with a sentence for people. */
export function readFaults(written: readonly string[], usualShare = 0.05): Faults {
  const faults: { [name in FaultName]?: number } = {}
  for (const each of written) {
    const [name, share] = each.split('=', 2) as [string, string | undefined]
    const value = share === undefined ? usualShare : Number(share)
    if (!(value >= 0 && value <= 1))
      throw new RangeError(`the share of a fault is a number from 0 to 1, not "${share}"`)
    if (name === 'all') for (const fault of faultNames) faults[fault] ??= value
    else if (Object.hasOwn(faultTable, name)) faults[name as FaultName] = value
    else throw new RangeError(`there is no fault "${name}"; the faults are: all, ${faultNames.join(', ')}`)
  }
  return faults
}
