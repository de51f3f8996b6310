// The operator's first screen: one list of what is wrong now, figures, and the checks that passed.

import { countStates, isActive } from '../../domain/source-state.ts'
import { nextEditionNumber } from '../../store/editions/older-database.ts'
import { readDesk } from '../../store/screens/desk.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatClock, formatMoment, formatNumber, formatRelative } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import { operatorPage, type PageAnswer, type PageRoute, type PersonRequest, page } from '../frame/page.ts'
import { empty, figures, more, numbers, part, table, wrongList } from '../frame/parts.ts'
import { type Concern, deskConcerns } from './desk-concerns.ts'
import { deskTexts } from './desk-texts.ts'

export const deskPages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', '/operator', (request) => desk(context, request)),
]

async function desk(context: ConsoleContext, { language, now }: PersonRequest): Promise<PageAnswer> {
  const texts = deskTexts[language]
  const { reads, editions, config } = context
  const { newest } = editions
  const facts = await readDesk(context.store.db, now)
  const states = await reads.sourceStates()
  const first = reads.firstReading()
  const { concerns, passed } = deskConcerns(
    {
      facts,
      newest,
      held: facts.holds > 0 ? await nextEditionNumber(context.store, now) : undefined,
      clocks: reads.clocks(),
      disk: await reads.disk(),
      isMailSet: config.mail !== undefined,
      lacksImprint: config.consoleUrl !== undefined && config.site?.imprintUrl === undefined,
      titles: await reads.titles(),
      sources: states,
      hasSamples: context.hasSamples,
      now,
    },
    language,
  )
  const number = (value: number) => formatNumber(value, language)
  const holding = concerns.filter(({ isHolding }) => isHolding)
  const dueAt = first?.latestAt ?? (newest && Math.max(now, newest.publishedAt + reads.publishIntervalMs))
  const list = (heading: string, note: string, some: readonly Concern[]): Html | false =>
    some.length > 0 && part(heading, wrongList(some), note)
  return page({
    title: texts.pageNames.wrongNow,
    lead: texts.lead(concerns.length, holding.length, formatClock(now, language)),
    actions: html`<a class="btn" href="/operator">${texts.shared.checkAgain}</a>`,
    body: html`${figures([
      newest
        ? {
            name: texts.shared.newestEdition,
            value: number(newest.edition),
            note: `${formatMoment(newest.publishedAt, language)} UTC · ${formatRelative(newest.publishedAt, now, language)}`,
          }
        : {
            name: texts.shared.newestEdition,
            value: texts.none,
            note: first
              ? html`<progress class="meter" max="${first.total}" value="${first.read}" aria-hidden="true"></progress>
                  ${texts.firstReading(first, number)}`
              : texts.noneNote,
          },
      facts.holds > 0
        ? {
            name: texts.next,
            value: texts.held,
            note: texts.heldNote(formatMoment(facts.heldSince ?? now, language)),
          }
        : {
            name: texts.next,
            value: dueAt === undefined ? '–' : texts.due(formatClock(dueAt, language)),
            note: first ? texts.latestNote : texts.dueNote,
          },
      {
        name: texts.quiet,
        value: html`${number(countStates(states).ok)} <small>${texts.of(number(states.filter(isActive).length))}</small>`,
        note: texts.openAlarms(number(facts.alarms.length)),
      },
      {
        name: texts.waitingPairs,
        value: number(facts.reviews + facts.doubts),
        note: texts.oneRecord(number(facts.doubts)),
      },
    ])}
${list(texts.holding, texts.holdingNote, holding)}
${list(
  texts.watch,
  texts.watchNote,
  concerns.filter(({ isHolding }) => !isHolding),
)}
${concerns.length === 0 && empty(texts.nothing, texts.nothingBody)}
${part(
  texts.inOrder,
  more(
    texts.passed(passed.length),
    table({
      caption: texts.inOrder,
      kind: 'mini',
      columns: [texts.check, numbers(texts.shared.figure), numbers(texts.bound)],
      rows: passed.map(({ name, figure, bound }) => [name, figure, bound]),
    }),
  ),
)}`,
  })
}
