// The pages of the operator's desk.
import type { PageRoute } from '../page.ts'
import type { ConsolePlace } from '../place.ts'
import { deskPages } from './desk-pages.ts'
import { editionPages } from './edition-pages.ts'
import { rejectionPages } from './rejection-pages.ts'
import { reviewPages } from './review-pages.ts'
import { sourcePages } from './source-pages.ts'

export const operatorPages = (place: ConsolePlace): PageRoute[] =>
  [deskPages, editionPages, sourcePages, reviewPages, rejectionPages].flatMap((group) => group(place))
