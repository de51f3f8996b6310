// Requests and answers of pages, independent of HTTP: each page is a function from a request to an answer.
import type { Person, Role } from '../../store/people/people.ts'
import type { Html } from './html.ts'
import type { Language } from './languages.ts'

/** Somebody who is signed in. */
export type Viewer = {
  readonly person: Person
  readonly memberships: readonly ViewerMembership[]
  /** Identifies the session: SHA-256 of its cookie in hex. */
  readonly sessionId: string
  /** When they last proved their identity, epoch milliseconds. */
  readonly signedInAt: number
}

export type ViewerMembership = {
  readonly organizationId: string
  readonly name: string
  readonly role: Role
  /** Whether an operator set API access up (C118). */
  readonly hasAccessArea: boolean
}

/** A request for a page. Every text in it comes from outside. */
export type PageRequest = {
  readonly method: 'GET' | 'POST'
  /** On the console's own origin. */
  readonly url: URL
  /** Variable parts of the path, decoded. */
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  /** Fields of the form; empty for GET. */
  readonly form: URLSearchParams
  readonly language: Language
  readonly viewer: Viewer | undefined
  /** Epoch milliseconds. */
  readonly now: number
  /** The network of the client: /24 or /48. */
  readonly addressPrefix: string
  /** Name that the browser gives itself, shortened. */
  readonly agent: string
  readonly cookies: { readonly [name: string]: string | undefined }
  /** `If-None-Match`: what a program has read before. */
  readonly ifNoneMatch?: string | undefined
  /** URL of a file of the console under its hashed name. */
  readonly asset?: (name: string) => string
}

export type PersonRequest = PageRequest & { readonly viewer: Viewer }
export type OrganizationRequest = PersonRequest & { readonly organization: ViewerMembership }

type Crumb = readonly [text: string, href: string]

/** A complete page without its frame. */
export type Page = {
  readonly title: string
  /** Of a title that a notice gave. */
  readonly titleLanguage?: string | undefined
  /** Shown above the title: ancestors only. */
  readonly crumbs?: readonly Crumb[]
  /** One sentence below the title. */
  readonly lead?: Html | string
  /** At most three buttons or links beside the title. */
  readonly actions?: Html
  /** Path of the current entry in the navigation; default: of the request. */
  readonly current?: string
  readonly body: Html
  /** HTTP status; default: 200. */
  readonly status?: number
  /** After how many seconds the page reloads. */
  readonly refreshSeconds?: number
  /** Names of scripts in `browser/`, without `.js`. */
  readonly scripts?: readonly string[]
  /** Names of further style sheets in `browser/`, without `.css`. */
  readonly styles?: readonly string[]
  /** Whether the body has nothing but what is published and what the address asks, so that it may be compressed. */
  readonly isWithoutSecrets?: true
  /** Whether search engines must leave it out. */
  readonly isUnlisted?: boolean
  /** Address of an Atom feed of this page. */
  readonly feed?: string
  /** What search engines and shared links say about it, in plain text; only of public pages. */
  readonly description?: string
  /** False if the body has its own heading. */
  readonly hasHead?: boolean
}

export type PageAnswer =
  | ({ readonly kind: 'page' } & Page)
  | Redirect
  | {
      readonly kind: 'content'
      /** Content type with charset. */
      readonly type: string
      readonly body: string | Uint8Array
      readonly status?: number
      readonly headers?: { readonly [name: string]: string }
    }

type Redirect = {
  readonly kind: 'redirect'
  /** A path of the console; only the OIDC issuer, after a GET, is an address elsewhere. */
  readonly to: string | URL
  /** A sentence shown once on the next page. */
  readonly notice?: string
  /** Starts a session for this person in place of the current one. */
  readonly signIn?: { readonly personId: string }
  readonly isSigningOut?: true
  readonly cookies?: readonly Cookie[]
}

/** A cookie of a flow, in addition to the session's: HttpOnly, SameSite=Lax, on the whole console. */
export type Cookie = {
  readonly name: string
  /** Empty: the cookie is removed. */
  readonly value: string
  readonly maxAgeSeconds: number
}

/** How soon a page reloads while something is being created. */
export const askAgainSeconds = 5

export const page = (content: Page): PageAnswer => ({ kind: 'page', ...content })
export const redirect = (to: Redirect['to'], how: Omit<Redirect, 'kind' | 'to'> = {}): PageAnswer => ({
  kind: 'redirect',
  to,
  ...how,
})

/** Ends a request with a page that says what is wrong. `detail` is a sentence for people. */
export class PageError extends Error {
  readonly status: 400 | 403 | 404 | 409 | 413 | 429 | 503
  constructor(status: PageError['status'], detail: string) {
    super(detail)
    this.status = status
  }
}

/** What a request names; a page with this sentence and 404 if it is not there. */
export function orNotFound<Thing>(thing: Thing | undefined, sentence: string): Thing {
  if (thing === undefined) throw new PageError(404, sentence)
  return thing
}

/**
 * Who may send a request: everybody; people who are signed in; members or Owners of the organization in the path;
 * operators.
 */
export type Audience = 'public' | 'person' | 'member' | 'owner' | 'operator'

export type PageRoute = {
  readonly method: 'GET' | 'POST'
  /** With `:name` for variable parts. */
  readonly path: string
  readonly audience: Audience
  /** Whether it needs a sign-in that is at most 15 minutes old. */
  readonly isSensitive: boolean
  /** 404 for everybody while the organization's API access is not set up (C118). */
  readonly needsAccessArea?: boolean
  /** Whether it waits for another service, for as long as a change may take. */
  readonly asksElsewhere?: boolean
  readonly answer: (request: OrganizationRequest) => Promise<PageAnswer> | PageAnswer
}

type Answer<Request> = (request: Request) => Promise<PageAnswer> | PageAnswer
type How = { readonly isSensitive?: boolean }

/** A page for everybody. */
export const publicPage = (
  method: PageRoute['method'],
  path: string,
  answer: Answer<PageRequest>,
  { asksElsewhere = false }: Pick<PageRoute, 'asksElsewhere'> = {},
): PageRoute => ({
  method,
  path,
  audience: 'public',
  isSensitive: false,
  asksElsewhere,
  answer,
})

/** A page for people who are signed in. */
export const personPage = (
  method: PageRoute['method'],
  path: string,
  answer: Answer<PersonRequest>,
  { isSensitive = false }: How = {},
): PageRoute => ({ method, path, audience: 'person', isSensitive, answer })

/** A page below `/o/:organization` for its members, or for its Owners only. */
export const organizationPage = (
  method: PageRoute['method'],
  path: `/o/:organization${string}`,
  audience: 'member' | 'owner',
  answer: Answer<OrganizationRequest>,
  { isSensitive = false, needsAccessArea = false }: How & { readonly needsAccessArea?: boolean } = {},
): PageRoute => ({ method, path, audience, isSensitive, needsAccessArea, answer })

/** A page of the operator's desk. */
export const operatorPage = (
  method: PageRoute['method'],
  path: `/operator${string}`,
  answer: Answer<PersonRequest>,
  { isSensitive = false }: How = {},
): PageRoute => ({ method, path, audience: 'operator', isSensitive, answer })
