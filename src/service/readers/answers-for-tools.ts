// What tools of assistants find: by the index of words and in the orders of the page of tenders, with its limits.
import { timeOf } from '#mcp/question-dates'
import type { FoundCode } from '#mcp/tool-definitions'
import { ToolError } from '#mcp/tool-error'
import type { PlacedQuestion, ToolAnswer, ToolAnswers } from '../../api/mcp/tool-answers.ts'
import { rankCodes } from '../../console/codes/rank-codes.ts'
import { openTitleReader } from '../../console/codes/title-codes.ts'
import { codeLabel, codesAbove } from '../../domain/code-labels.ts'
import { hourMs } from '../../domain/time.ts'
import { searchWordsOf } from '../../domain/words.ts'
import type { EditionView, TenderFinder } from '../../edition/read/edition-view.ts'
import type { TenderQuestion } from '../../edition/read/tender-question.ts'
import { HitInputError, readAuthority, readCpv, readNuts, readWord } from '../../hits/read-input.ts'

/** How long an answer waits for an edition that was just published to be indexed. */
const indexWaitMs = 500
const shownCodes = 10

type Editions = Pick<EditionView, 'newest' | 'record' | 'meta'> & TenderFinder

export function answersForTools(editions: Editions, now: () => number): ToolAnswers {
  const titles = openTitleReader(editions, now)
  return {
    findTenders: (question) =>
      faultOr(async () => {
        const asked = questionOf(question, now())
        if (!editions.newest) throw new HitInputError('invalid-operand', 'No edition is published yet: try later.')
        await editions.indexed(indexWaitMs)
        const { edition, total, indexed, positions } = editions.findTenders(asked)
        return { edition, total, indexed, ids: positions.map((position) => editions.meta(position).id) }
      }),
    findCodes: ({ kind, words }) =>
      faultOr(async () =>
        rankCodes(kind, words, shownCodes, titles(words)).map((code): FoundCode => {
          const above = codesAbove(kind, code).at(-1)
          const within = above && codeLabel(kind, above, 'en')
          return { code, name: codeLabel(kind, code, 'en') ?? code, ...(within && { within }) }
        }),
      ),
  }
}

async function faultOr<Answer>(answer: () => Promise<Answer>): Promise<ToolAnswer<Answer>> {
  try {
    return { answer: await answer() }
  } catch (error) {
    if (error instanceof HitInputError || error instanceof ToolError) return { fault: error.message }
    throw error
  }
}

function questionOf(question: PlacedQuestion, now: number): TenderQuestion {
  const { words, cpv, nuts, status, buyer, limit, offset } = question
  const allWords = words === undefined ? [] : searchWordsOf(words).map(readWord)
  const times = {
    publishedFrom: timeOf(question, 'published_since'),
    deadlineFrom: timeOf(question, 'deadline_after'),
    deadlineBefore: timeOf(question, 'deadline_before'),
  }
  const members = {
    ...times,
    allWords: filled(allWords),
    cpv: filled(cpv?.map(readCpv)),
    nuts: filled(nuts?.map(readNuts)),
    authorities: buyer === undefined ? undefined : [readAuthority(buyer)],
    valueMin: question.value_min,
    valueMax: question.value_max,
    statuses: filled(status) ?? ['open'],
  }
  const present = Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined))
  const order = question.order ?? (allWords.length > 0 ? 'relevance' : 'deadline')
  return { ...present, order, limit, offset, at: Math.floor(now / hourMs) * hourMs }
}

const filled = <Item>(items: readonly Item[] | undefined): readonly Item[] | undefined =>
  items === undefined || items.length === 0 ? undefined : items
