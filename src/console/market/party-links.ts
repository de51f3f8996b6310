// Names of organizations as links to their pages. The pages are for people who are signed in.
import type { TenderOrganization } from '../../domain/tender.ts'
import { type Html, html } from '../frame/html.ts'
import { quoted } from '../frame/parts.ts'
import { authorityAddress, companyAddress } from './party.ts'

const linked = (address: string | undefined, name: Html): Html =>
  address === undefined ? name : html`<a href="${address}" rel="nofollow">${name}</a>`

/** `lang`: of the notice that names it. */
export const authorityLink = (buyer: TenderOrganization, lang?: string): Html =>
  linked(authorityAddress(buyer), quoted(buyer.name, lang))

/** The name alone if the winner has no page. */
export const companyLink = (winner: TenderOrganization, lang?: string): Html =>
  linked(companyAddress(winner), quoted(winner.name, lang))
