// All pages for everybody: the first page, the documentation, the status, the changelog, and files for programs.
import { join } from 'node:path'
import { guidePages } from '../docs/docs-pages.ts'
import { Handbook } from '../docs/handbook.ts'
import { referenceDocs, referencePages, referenceSections } from '../docs/reference-pages.ts'
import { SearchGuides } from '../docs/search-guides.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import type { PageRoute } from '../frame/page.ts'
import { changelogPages } from './changelog-pages.ts'
import { clientFiles } from './client-files.ts'
import { fieldSections, fieldsDoc, fieldsPages } from './fields-pages.ts'
import { homePages } from './home-pages.ts'
import { siteFiles } from './site-files.ts'
import { StatusBoards } from './status-board.ts'
import { statusPages } from './status-pages.ts'
import { StockCounter } from './stock-counter.ts'
import { stockPages } from './stock-pages.ts'

/** The repository, where the guides are. */
const repository = join(import.meta.dirname, '../../..')

/** They share one handbook, one count of the records and one board of the status. */
export function publicSite(context: ConsoleContext): PageRoute[] {
  const handbook = new Handbook({
    folder: repository,
    apiAddress: context.apiAddress,
    origin: context.origin,
    pages: [...referenceDocs, fieldsDoc],
  })
  const search = new SearchGuides(handbook, () => [...referenceSections(), ...fieldSections(handbook)])
  const counter = new StockCounter(context.editions)
  const boards = new StatusBoards(context)
  return [
    ...homePages(context, boards),
    ...guidePages(handbook, search),
    ...referencePages(context, handbook),
    ...fieldsPages(context, handbook, counter),
    ...stockPages(context, counter),
    ...statusPages(context, boards),
    ...changelogPages(context, handbook),
    ...siteFiles(context, handbook),
    ...clientFiles(context, context.client),
  ]
}
