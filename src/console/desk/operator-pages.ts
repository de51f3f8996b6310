// The pages of the operator's desk.

import type { ConsoleContext } from '../frame/console-context.ts'
import type { PageRoute } from '../frame/page.ts'
import { deskPages } from './desk-pages.ts'
import { editionPages } from './edition-pages.ts'
import { incidentPages } from './incident-pages.ts'
import { operatorAuditPages } from './operator-audit-pages.ts'
import { rejectionPages } from './rejection-pages.ts'
import { reviewPages } from './review-pages.ts'
import { sourcePages } from './source-pages.ts'
import { valuePages } from './value-pages.ts'

const groups = [
  deskPages,
  editionPages,
  sourcePages,
  reviewPages,
  rejectionPages,
  valuePages,
  incidentPages,
  operatorAuditPages,
]

export const operatorPages = (context: ConsoleContext): PageRoute[] => groups.flatMap((group) => group(context))
