// Who reads the stock on pages: people whose organization has access to it, operators, and everybody where it is made
// up.
import type { ConsoleContext } from './console-context.ts'
import type { PageRequest, ViewerMembership } from './page.ts'

/** The organization through which somebody reads the stock: access may have ended while its area stays. */
export const accessOf = (
  { directory }: Pick<ConsoleContext, 'directory'>,
  { viewer }: Pick<PageRequest, 'viewer'>,
): ViewerMembership | undefined =>
  viewer?.memberships.find(({ organizationId }) => directory.organization(organizationId)?.hasApiAccess)

/** Whether somebody reads the stock itself, and not samples beside it. */
export const readsStock = (
  context: Pick<ConsoleContext, 'directory' | 'hasSamples'>,
  request: Pick<PageRequest, 'viewer'>,
): boolean =>
  context.hasSamples || accessOf(context, request) !== undefined || request.viewer?.person.isOperator === true
