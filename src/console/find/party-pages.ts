// The pages of an authority and of a company: what notices since 2022 say about them, read from the newest edition.
import { setImmediate as turn } from 'node:timers/promises'
import { buyersOf } from '../../domain/buyers.ts'
import { hasCompanyPage, winnersOf } from '../../domain/companies/companies.ts'
import { identifierOf } from '../../domain/organization-identity.ts'
import type { TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import type { TenderQuestion } from '../../edition/read/tender-question.ts'
import { loadRedactor } from '../../store/received/redactions.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type PageAnswer, PageError, type PageRequest, type PageRoute, personPage, redirect } from '../frame/page.ts'
import { publishedRecord } from '../frame/published-record.ts'
import { since } from '../market/dossier.ts'
import { authorityAddress, idsOfName, type Party, partyOfAddress, relationTo, textsOfParty } from '../market/party.ts'
import { withoutStock } from './find-page.ts'
import { type FoundStock, hourOf, stockFor } from './found-stock.ts'
import { authorityBody, companyBody, type PartyView, partyPage } from './party-body.ts'

/** Maximum tenders of which a page counts, the newest first, and how many are read between two turns of other work. */
const [maxRead, readAtOnce] = [2000, 50]
/** How long a page waits for an edition that was just published to be indexed. */
const indexWaitMs = 500

export const partyPages = (context: ConsoleContext): PageRoute[] => {
  const reader = new PartyReader(context)
  return [
    personPage('GET', '/authorities/:country/:name', (request) => answerOf('authority', context, reader, request)),
    personPage('GET', '/companies/:country/:name', (request) => answerOf('company', context, reader, request)),
  ]
}

async function answerOf(
  kind: 'authority' | 'company',
  context: ConsoleContext,
  reader: PartyReader,
  request: PageRequest,
): Promise<PageAnswer> {
  const { params, query, language } = request
  const party = partyOfAddress(params, query.get('id'))
  if (!party || (kind === 'company' && !hasCompanyPage(party))) throw new PageError(404, frameTexts[language].noPage)
  const stock = stockFor(context, request)
  if (typeof stock === 'string') return withoutStock(stock, request)
  if (!stock.editions.newest) return withoutStock('noEdition', request)
  context.stockLimits.takePage(request)
  const organizations = kind === 'authority' ? buyersOf : winnersOf
  const asked = kind === 'authority' ? { authorities: textsOfParty(party) } : { winnerIdentifier: identifierOf(party)! }
  const read = await reader.read(stock, asked)
  const ids = idsOfName(party, read.records.flatMap(organizations))
  // of an authority with one number, there is one page
  const numbered = party.nationalId === undefined && ids.size === 1 && namesakeWithId(party, read.records)
  const address = numbered && authorityAddress(numbered)
  if (address) return redirect(address)
  const isSame = (each: TenderOrganization) => relationTo(party, each, ids) === 'same'
  const records = read.records.filter((record) => organizations(record).some(isSame))
  const apart = read.records.flatMap(organizations).filter((each) => relationTo(party, each, ids) === 'apart')
  const view: PartyView = { request, stock, party, isSame, records, apart, read }
  return partyPage(kind, view, kind === 'authority' ? authorityBody : companyBody)
}

const namesakeWithId = (party: Party, records: readonly TenderRecord[]): TenderOrganization | undefined =>
  records.flatMap(buyersOf).find((each) => idsOfName(party, [each]).size > 0)

type ReadTenders = {
  readonly records: readonly TenderRecord[]
  /** Number of tenders that the index knows; of more than `maxRead`, the newest were read. */
  readonly total: number
  readonly isIndexed: boolean
}

/** Reads records for one page at a time, so that many pages at once do not take the process from others. */
class PartyReader {
  readonly #context: ConsoleContext
  #last: Promise<unknown> = Promise.resolve()

  constructor(context: ConsoleContext) {
    this.#context = context
  }

  read(stock: FoundStock, asked: Pick<TenderQuestion, 'authorities' | 'winnerIdentifier'>): Promise<ReadTenders> {
    const reading = this.#last.then(() => this.#read(stock, asked))
    this.#last = reading.catch(() => {})
    return reading
  }

  async #read(
    stock: FoundStock,
    asked: Pick<TenderQuestion, 'authorities' | 'winnerIdentifier'>,
  ): Promise<ReadTenders> {
    const { editions } = stock
    const redactor = await loadRedactor(this.#context.store.db)
    await editions.indexed(indexWaitMs)
    const question = { ...asked, publishedFrom: since, order: 'newest', offset: 0, limit: maxRead } as const
    const found = editions.findTenders({ ...question, at: hourOf(stock) })
    const { total, indexed } = found
    // positions are valid only now
    const ids = found.positions.map((position) => editions.meta(position).id)
    const records: TenderRecord[] = []
    for (let done = 0; done < ids.length; done += readAtOnce) {
      for (const id of ids.slice(done, done + readAtOnce)) {
        const record = publishedRecord(editions, id)
        // an edition keeps values that were redacted after it, until the next one
        if (record) records.push(redactor.value(record))
      }
      await turn()
    }
    return { records, total, isIndexed: indexed === 1 }
  }
}
