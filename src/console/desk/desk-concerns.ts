// What needs attention and what is in order: each check of the operator's first screen gives a concern or a passed
// line. Pure.
import { type ClockConcern, stopsPublication } from '../../domain/clock-concern.ts'
import { lineOf } from '../../domain/lines.ts'
import { countStates, isActive, isFailing, type SourceState, sourceStates } from '../../domain/source-state.ts'
import { dayMs, hourMs, minuteMs } from '../../domain/time.ts'
import { readMaintenance } from '../../store/nodes/maintenance.ts'
import { readRounds, whyFailing } from '../../store/nodes/rounds.ts'
import type { DeskFacts } from '../../store/screens/desk.ts'
import { maxCounted } from '../../store/screens/desk.ts'
import { formatMoment, formatNumber, formatRelative, formatShare } from '../frame/format.ts'
import { html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { quoted, type Wrong } from '../frame/parts.ts'
import { clockTexts } from './clock-texts.ts'
import { deskTexts, isAlarmKind } from './desk-texts.ts'
import { sourceTexts } from './source-texts.ts'

export type Concern = Wrong & {
  /** Whether customers notice it. */
  readonly isHolding: boolean
  readonly action: NonNullable<Wrong['action']>
}

/** A check that passed. */
export type Passed = { readonly name: string; readonly figure: string; readonly bound: string }

export type DeskState = {
  readonly facts: DeskFacts
  readonly newest: { readonly edition: number; readonly publishedAt: number } | undefined
  /** Number of the edition that is held back. */
  readonly held: number | undefined
  readonly clocks: readonly ClockConcern[]
  readonly disk: { readonly free: number; readonly total: number }
  readonly isMailSet: boolean
  /** Whether people reach the console from other machines, and no page says who runs it. */
  readonly lacksImprint: boolean
  readonly titles: ReadonlyMap<string, string>
  /** Whether the notices are made up. */
  readonly hasSamples: boolean
  /** The state of each source. */
  readonly sources: readonly SourceState[]
  readonly now: number
}

/** Minimum free share of the disk; and the share below which it holds something up. */
const minFree = 0.15
const fullFree = 0.03
/** Share of the active sources that fail above which customers notice it. */
const manyShare = 0.2
/** Age from which a nightly backup is missed. */
const oldBackupMs = 30 * hourMs
/** Age from which the nightly drills must have failed for three nights. */
const oldDrillMs = 80 * hourMs
/** Up to this edition, about a day, a stock may have no backup. */
const youngEditions = 24
/** Age from which an edition is reported: no large portal is silent for longer, even on weekends. */
const oldEditionMs = 26 * hourMs
/** How long a mail may wait before it is reported. */
const mailWaitMs = 10 * minuteMs

/** Runs all checks and returns concerns in order of weight. */
export function deskConcerns(
  state: DeskState,
  language: Language,
): { readonly concerns: readonly Concern[]; readonly passed: readonly Passed[] } {
  const desk = new DeskChecks(state, language)
  const found = [
    desk.maintenance(),
    desk.gate(),
    desk.rounds(),
    desk.disk(),
    desk.backup(),
    desk.drill(),
    desk.clocks(),
    desk.edition(),
    desk.sources(),
    desk.alarms(),
    desk.quotes(),
    desk.imprint(),
    desk.mails(),
    desk.givenUp(),
    desk.webhooks(),
    desk.contracts(),
    desk.reviews(),
    desk.doubts(),
  ]
  return {
    concerns: found.flatMap((each) => ('name' in each ? [] : each)),
    passed: found.flatMap((each) => ('name' in each ? [each] : [])),
  }
}

type Found = Concern | readonly Concern[] | Passed

/** Of what customers do not notice. */
const warning = { isHolding: false, kind: 'warn' } as const

class DeskChecks {
  readonly #state: DeskState
  readonly #language: Language
  readonly #texts: (typeof deskTexts)['en']

  constructor(state: DeskState, language: Language) {
    this.#state = state
    this.#language = language
    this.#texts = deskTexts[language]
  }

  maintenance(): Found {
    const { facts, now } = this.#state
    const until = readMaintenance(facts.maintenance)
    const texts = this.#texts
    if (until === undefined || until <= now) return { name: texts.checks.maintenance, figure: texts.open, bound: '–' }
    const end = formatMoment(until, this.#language)
    return {
      isHolding: true,
      kind: 'warn',
      word: texts.words.closed,
      heading: texts.maintenance,
      body: texts.maintenanceBody,
      meta: [texts.ends(end, formatRelative(until, now, this.#language))],
      action: [texts.shared.checkAgain, '/operator'],
    }
  }

  gate(): Found {
    const { facts, held } = this.#state
    const texts = this.#texts
    if (held === undefined) return { name: texts.checks.gate, figure: texts.passes, bound: '–' }
    return {
      isHolding: true,
      kind: 'held',
      word: texts.words.held,
      heading: texts.hold(this.#number(held)),
      body: texts.holdBody(facts.holdReasons.length),
      meta: [this.#since(facts.heldSince ?? this.#state.now), texts.holdTimes(this.#number(facts.holds))],
      action: [texts.shared.seeReasons, '/operator/editions/hold'],
    }
  }

  rounds(): Found {
    const { facts, now } = this.#state
    const texts = this.#texts
    const rounds = readRounds(facts.rounds)
    const why = whyFailing(rounds, now)
    if (why === undefined) return { name: texts.checks.rounds, figure: '0', bound: '0' }
    return {
      isHolding: true,
      kind: 'bad',
      word: texts.words.bad,
      heading: texts.rounds,
      body: html`${texts.roundsWhy(why)} ${why.detail !== '' && quoted(why.detail, 'en')} ${texts.roundsBody}`,
      meta: [
        rounds?.lastRoundAt !== undefined && this.#since(rounds.lastRoundAt),
        texts.roundsCount(this.#number(rounds?.failedRounds ?? 0)),
      ],
      action: [texts.seeEditions, '/operator/editions'],
    }
  }

  disk(): Found {
    const { free, total } = this.#state.disk
    const texts = this.#texts
    const share = total === 0 ? 1 : free / total
    const figure = `${formatShare(share, this.#language)} (${this.#bytes(free)})`
    if (share >= minFree)
      return { name: texts.checks.disk, figure, bound: texts.atLeast(formatShare(minFree, this.#language)) }
    return {
      isHolding: share < fullFree,
      kind: share < fullFree ? 'bad' : 'warn',
      word: texts.words.disk,
      heading: texts.disk(figure),
      body: texts.diskBody,
      action: [texts.shared.checkAgain, '/operator'],
    }
  }

  /** A stock of samples needs none. */
  backup(): Found {
    const { facts, now, newest, hasSamples } = this.#state
    const texts = this.#texts
    const age = facts.lastBackup === null ? null : now - facts.lastBackup
    const isNew = newest === undefined || newest.edition <= youngEditions
    if (hasSamples || (age === null ? isNew : age <= oldBackupMs))
      return {
        name: texts.checks.backup,
        figure: age === null ? texts.none : texts.hours(this.#number(Math.floor(age / hourMs))),
        bound: texts.hours(String(oldBackupMs / hourMs)),
      }
    return {
      ...warning,
      word: texts.words.late,
      heading: age === null ? texts.noBackup : texts.oldBackup(formatRelative(facts.lastBackup!, now, this.#language)),
      body: texts.backupBody,
      action: [texts.seeBackup, '/docs/backup'],
    }
  }

  /** As old as the newest backup that is known to be of use; a stock without a backup is told so elsewhere. */
  drill(): Found {
    const { facts, now, newest, hasSamples } = this.#state
    const texts = this.#texts
    const age = facts.lastDrill === null ? null : now - facts.lastDrill
    const isNew = newest === undefined || newest.edition <= 3 * youngEditions
    if (hasSamples || facts.lastBackup === null || (age === null ? isNew : age <= oldDrillMs))
      return {
        name: texts.checks.drill,
        figure: age === null ? texts.none : texts.hours(this.#number(Math.floor(age / hourMs))),
        bound: texts.hours(String(oldDrillMs / hourMs)),
      }
    return {
      ...warning,
      word: texts.words.late,
      heading: age === null ? texts.noDrill : texts.oldDrill(formatRelative(facts.lastDrill!, now, this.#language)),
      body: texts.drillBody,
      action: [texts.seeBackup, '/docs/backup'],
    }
  }

  clocks(): Found {
    const { clocks } = this.#state
    const texts = this.#texts
    if (clocks.length === 0) return { name: texts.checks.clocks, figure: texts.right, bound: '–' }
    return clocks.map((concern) => ({
      isHolding: stopsPublication(concern),
      kind: 'warn',
      word: texts.words.clock,
      heading: texts.clock,
      body: lineOf(clockTexts[this.#language], concern),
      action: [texts.shared.checkAgain, '/operator'],
    }))
  }

  edition(): Found {
    const { newest, now, facts } = this.#state
    const texts = this.#texts
    const age = newest ? now - newest.publishedAt : 0
    if (!newest || age <= oldEditionMs || facts.holds > 0)
      return {
        name: texts.checks.edition,
        figure: newest ? texts.hours(this.#number(Math.floor(age / hourMs))) : texts.none,
        bound: texts.hours(String(oldEditionMs / hourMs)),
      }
    return {
      ...warning,
      word: texts.words.old,
      heading: texts.old(formatRelative(newest.publishedAt, now, this.#language)),
      body: texts.oldBody,
      meta: [this.#since(newest.publishedAt)],
      action: [texts.seeSources, '/operator/sources'],
    }
  }

  /** Portals that do not deliver, by cause, in one concern. */
  sources(): Found {
    const texts = this.#texts
    const counts = countStates(this.#state.sources)
    const active = this.#state.sources.filter(isActive).length
    const causes = sourceStates.filter((state) => isFailing(state) && counts[state] > 0)
    const failing = causes.reduce((sum, state) => sum + counts[state], 0)
    if (failing === 0) return { name: texts.checks.sources, figure: '0', bound: '0' }
    const isMany = failing > active * manyShare
    return {
      isHolding: isMany,
      kind: isMany ? 'bad' : 'warn',
      word: texts.words.many,
      heading: texts.failing(this.#number(failing), this.#number(active)),
      body: causes
        .map((state) => `${sourceTexts[this.#language].states[state]}: ${this.#number(counts[state])}`)
        .join(' · '),
      meta: [],
      action: [texts.seeSources, `/operator/sources?state=${causes[0]}`],
    }
  }

  /** The others: `sources` counts those that fail. */
  alarms(): Found {
    const { facts, titles } = this.#state
    const texts = this.#texts
    const alarms = facts.alarms.filter(({ kind }) => kind !== 'failing')
    if (alarms.length === 0) return { name: texts.checks.alarms, figure: '0', bound: '0' }
    return alarms.map(({ sourceId, kind, raisedAt, detail, acknowledgedBy, note }) => {
      const title = titles.get(sourceId) ?? sourceId
      const isSilent = kind === 'silent'
      return {
        isHolding: isSilent && acknowledgedBy === null,
        kind: isSilent && acknowledgedBy === null ? 'bad' : 'warn',
        word: isSilent ? texts.words.silent : texts.words.late,
        heading: isAlarmKind(kind) ? texts.alarm[kind](title) : texts.otherAlarm(title),
        body: html`${quoted(detail, 'en')}${note !== null && note !== '' && html` “${quoted(note)}”`}`,
        meta: [this.#since(raisedAt), acknowledgedBy === null ? texts.notSeen : texts.seenBy(acknowledgedBy)],
        action: [texts.openSource, `/operator/sources/${encodeURIComponent(sourceId)}`],
      }
    })
  }

  quotes(): Found {
    const { facts, now } = this.#state
    const texts = this.#texts
    if (facts.quotes === 0) return { name: texts.checks.quotes, figure: '0', bound: '0' }
    return {
      ...warning,
      word: texts.words.many,
      heading: texts.quotes(this.#number(facts.quotes)),
      body: texts.quotesBody,
      meta: [this.#since(facts.quotesSince ?? now)],
      action: [texts.seeQuotes, '/operator/quotes'],
    }
  }

  imprint(): Found {
    const texts = this.#texts
    if (!this.#state.lacksImprint)
      return { name: texts.checks.imprint, figure: texts.shared.yes, bound: texts.shared.yes }
    return {
      ...warning,
      word: texts.words.missing,
      heading: texts.imprint,
      body: texts.imprintBody,
      action: [texts.seeSettings, '/docs/settings'],
    }
  }

  mails(): Found {
    const { facts, now, isMailSet } = this.#state
    const texts = this.#texts
    const since = facts.mailsSince ?? now
    if (facts.mailsDue === 0 || (isMailSet && now - since < mailWaitMs))
      return { name: texts.checks.mails, figure: this.#number(facts.mailsDue), bound: '10 min' }
    return {
      ...warning,
      word: texts.words.many,
      heading: texts.mails(this.#number(facts.mailsDue)),
      body: !isMailSet
        ? texts.mailsOff
        : facts.mailError === null
          ? texts.mailsLateNoError
          : texts.mailsLate(facts.mailError),
      meta: [this.#since(since)],
      action: [texts.seeOrganizations, '/operator/organizations'],
    }
  }

  givenUp(): Found {
    const { facts } = this.#state
    const texts = this.#texts
    if (facts.mailsGivenUp === 0) return { name: texts.checks.givenUp, figure: '0', bound: '0' }
    return {
      ...warning,
      word: texts.words.bad,
      heading: texts.givenUp(this.#number(facts.mailsGivenUp)),
      body: texts.givenUpBody(facts.mailError ?? '–'),
      action: [texts.seeOrganizations, '/operator/organizations'],
    }
  }

  webhooks(): Found {
    const { facts } = this.#state
    const texts = this.#texts
    const common = { ...warning, word: texts.words.bad }
    const action = [texts.seeOrganizations, '/operator/organizations'] as const
    const found: Concern[] = []
    const meta = facts.failingSince === null ? [] : [this.#since(facts.failingSince)]
    if (facts.webhooksDisabled > 0)
      found.push({
        ...common,
        heading: texts.disabled(this.#number(facts.webhooksDisabled)),
        body: texts.disabledBody,
        meta,
        action,
      })
    if (facts.webhooksFailing > 0)
      found.push({
        ...common,
        heading: texts.failingHooks(this.#number(facts.webhooksFailing)),
        body: texts.failingHooksBody,
        meta,
        action,
      })
    return found.length > 0 ? found : { name: texts.checks.webhooks, figure: '0', bound: '0' }
  }

  contracts(): Found {
    const { facts, now } = this.#state
    const texts = this.#texts
    if (facts.contracts.length === 0) return { name: texts.checks.contracts, figure: '0', bound: '0' }
    return facts.contracts.map(({ organizationId, name, endsAt, tokens }) => ({
      isHolding: endsAt - now < dayMs,
      kind: 'warn',
      word: texts.words.soon,
      heading: texts.contract(name, formatRelative(endsAt, now, this.#language)),
      body: texts.contractBody(tokens),
      meta: [texts.ends(formatMoment(endsAt, this.#language), formatRelative(endsAt, now, this.#language))],
      action: [texts.openContract, `/operator/organizations/${organizationId}`],
    }))
  }

  reviews(): Found {
    const { facts } = this.#state
    const texts = this.#texts
    if (facts.reviews === 0) return { name: texts.checks.reviews, figure: '0', bound: '0' }
    return {
      ...warning,
      word: texts.words.many,
      heading: texts.reviews(this.countText(facts.reviews)),
      body: texts.reviewsBody,
      action: [texts.review, '/operator/reviews'],
    }
  }

  doubts(): Found {
    const { facts } = this.#state
    const texts = this.#texts
    if (facts.doubts === 0) return { name: texts.checks.doubts, figure: '0', bound: '0' }
    return {
      ...warning,
      word: texts.words.many,
      heading: texts.doubts(this.#number(facts.doubts)),
      body: texts.doubtsBody,
      action: [texts.review, '/operator/reviews'],
    }
  }

  countText(count: number): string {
    return count < maxCounted ? this.#number(count) : this.#texts.more(this.#number(count))
  }

  #number(value: number): string {
    return formatNumber(value, this.#language)
  }

  #bytes(value: number): string {
    return `${this.#number(Math.round(value / 1e8) / 10)} GB`
  }

  #since(at: number): string {
    return this.#texts.since(formatMoment(at, this.#language), formatRelative(at, this.#state.now, this.#language))
  }
}
