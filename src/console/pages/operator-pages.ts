// The pages of the operator's desk.
import type { PageRoute } from '../page.ts'
import type { ConsolePlace } from '../place.ts'
import { deskPages } from './desk-pages.ts'
import { editionPages } from './edition-pages.ts'
import { sourcePages } from './source-pages.ts'

export const operatorPages = (place: ConsolePlace): PageRoute[] =>
  [deskPages, editionPages, sourcePages].flatMap((group) => group(place))
