// Who reads the stock on pages: people whose organization has access to it, operators, and everybody where it is made
// up. And how many pages and files that may be.
import { dayMs, minuteMs } from '../../domain/time.ts'
import { AttemptLimit } from './attempt-limit.ts'
import type { Directory } from './directory.ts'
import { frameTexts } from './frame-texts.ts'
import { PageError, type PageRequest, type ViewerMembership } from './page.ts'

/**
 * Maximum pages of tenders a minute, and files a day, for a person and for an organization; strangers by network, and a
 * letter by itself: its link is sealed, and its recipients may share a network with colleagues and scanners of links.
 */
const [maxPages, maxFiles] = [60, 20]

type Access = { readonly directory: Pick<Directory, 'organization'> }

/** The organization through which somebody reads the stock: access may have ended while its area stays. */
export const accessOf = (
  { directory }: Access,
  { viewer }: Pick<PageRequest, 'viewer'>,
): ViewerMembership | undefined =>
  viewer?.memberships.find(({ organizationId }) => directory.organization(organizationId)?.hasApiAccess)

/** Whether somebody reads the stock itself, and not samples beside it. */
export const readsStock = (
  context: Access & { readonly hasSamples: boolean },
  request: Pick<PageRequest, 'viewer'>,
): boolean =>
  context.hasSamples || accessOf(context, request) !== undefined || request.viewer?.person.isOperator === true

/** Nobody reads the stock around the contract with the API: pages and files of people have limits of their own. */
export class StockLimits {
  readonly #access: Access
  readonly #pages = new AttemptLimit(maxPages, minuteMs)
  readonly #files = new AttemptLimit(maxFiles, dayMs)

  constructor(directory: Access['directory']) {
    this.#access = { directory }
  }

  /** For each page of a letter, whoever opens it. Throws PageError 429 with a sentence. */
  takeLetter(messageId: string, { now, language }: Pick<PageRequest, 'now' | 'language'>): void {
    if (!this.#pages.take(`letter ${messageId}`, now)) throw new PageError(429, frameTexts[language].tooManyPages)
  }

  /** For each other page that asks the stock. Throws PageError 429 with a sentence. */
  takePage(request: PageRequest): void {
    if (!this.#take(this.#pages, request)) throw new PageError(429, frameTexts[request.language].tooManyPages)
  }

  takeFile(request: PageRequest): void {
    if (!this.#take(this.#files, request)) throw new PageError(429, frameTexts[request.language].tooManyDownloads)
  }

  #take(limit: AttemptLimit, request: PageRequest): boolean {
    const { viewer, addressPrefix, now } = request
    if (!viewer) return limit.take(`network ${addressPrefix}`, now)
    const own = accessOf(this.#access, request)
    const isPersonFine = limit.take(`person ${viewer.person.personId}`, now)
    return isPersonFine && (!own || limit.take(`organization ${own.organizationId}`, now))
  }
}
