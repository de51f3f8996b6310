// Signing in through a company: leaving for its sign-in, and coming back. It is absent without its settings.

import type { ConsoleContext } from '../frame/console-context.ts'
import { homeOf } from '../frame/frame.ts'
import { returnPath } from '../frame/own-path.ts'
import { type PageAnswer, type PageRequest, type PageRoute, publicPage, redirect } from '../frame/page.ts'
import { CompanySignIn, endedFlow } from './company-sign-in.ts'
import { signInPage } from './sign-in-page.ts'
import { signInTexts } from './sign-in-texts.ts'

export function companyPages(context: ConsoleContext): PageRoute[] {
  // without a context, only the list of routes is read
  const settings = context.config?.oidc
  if (!settings) return []
  const company = new CompanySignIn(context, settings)
  return [
    // by GET: the policy for forms would stop the redirect to the issuer
    publicPage('GET', '/sign-in/oidc', (request) => begin(context, company, request), { asksElsewhere: true }),
    publicPage('GET', '/sign-in/oidc/callback', (request) => finish(context, company, request), {
      asksElsewhere: true,
    }),
  ]
}

async function begin(context: ConsoleContext, company: CompanySignIn, request: PageRequest): Promise<PageAnswer> {
  const texts = signInTexts[request.language]
  const begun = await company.begin(request, returnPath(request.query.get('return')))
  if (!begun) return signInPage(context, request, { problem: [texts.companyFailed, texts.companyWhy.unreachable] })
  return redirect(begun.to, { cookies: [begun.cookie] })
}

async function finish(context: ConsoleContext, company: CompanySignIn, request: PageRequest): Promise<PageAnswer> {
  const { directory } = context
  const texts = signInTexts[request.language]
  const outcome = await company.finish(request)
  if (outcome.kind === 'failed')
    return signInPage(context, request, { problem: [texts.companyFailed, texts.companyWhy[outcome.why]] })
  const { personId, back } = outcome
  const person = directory.person(personId)!
  const home = homeOf({ person, memberships: directory.membershipsOf(personId) })
  return redirect(back === '/' ? home : back, { signIn: { personId }, cookies: [endedFlow] })
}
