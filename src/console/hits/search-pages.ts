// Saved searches of an organization: list, builder with its preview, versions, pause and resume.
import { explainMatch } from '../../hits/explain-match.ts'
import { maxRecentHits, searchOverviews, searchVersions } from '../../store/hits/searches.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { html } from '../frame/html.ts'
import { type OrganizationRequest, organizationPage, type PageAnswer, type PageRoute, page } from '../frame/page.ts'
import { empty, numbers, state, table } from '../frame/parts.ts'
import { copyPages } from './copy-pages.ts'
import { tenderIdIn, tendersCalled } from './named-tenders.ts'
import { addressOf, builder, profilesOf, questionOf, recentMs, type SearchDesk, searchOf } from './search-builder.ts'
import { activate, changeSearch, newSearch, release } from './search-changes.ts'
import { formOfAddress, formOfSearch, readSearchForm } from './search-form.ts'
import { openSearchPreviews } from './search-previews.ts'
import { searchesTexts } from './searches-texts.ts'

const maxVersions = 20

export function searchPages(context: ConsoleContext): PageRoute[] {
  const desk: SearchDesk = { context, previews: openSearchPreviews(context) }
  return [
    organizationPage('GET', '/o/:organization/searches', 'member', (request) => listPage(context, request)),
    organizationPage('GET', '/o/:organization/searches/new', 'member', async (request) =>
      builder(desk, request, { form: formOfAddress(request.query), profiles: await profilesOf(context, request) }),
    ),
    organizationPage('POST', '/o/:organization/searches/new', 'member', (request) => newSearch(desk, request)),
    organizationPage('GET', '/o/:organization/searches/:search', 'member', (request) => searchPage(desk, request)),
    organizationPage('POST', '/o/:organization/searches/:search', 'member', (request) => changeSearch(desk, request)),
    ...(['pause', 'resume'] as const).map((action) =>
      organizationPage('POST', `/o/:organization/searches/:search/${action}`, 'member', (request) =>
        activate(context, request, action === 'resume'),
      ),
    ),
    ...copyPages(context, 'searches'),
    organizationPage('POST', '/o/:organization/searches/:search/release', 'member', (request) =>
      release(context, request),
    ),
  ]
}

async function listPage({ store }: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { organization, language, now } = request
  const texts = searchesTexts[language]
  const at = addressOf(request)
  const searches = await searchOverviews(store.db, organization.organizationId, now - recentMs)
  const create = html`<a class="btn go" href="${at}/new">${texts.shared.newSearch}</a>`
  return page({
    title: texts.pageNames.searches,
    lead: texts.lead,
    actions: searches.length > 0 ? create : html``,
    body:
      searches.length === 0
        ? empty(texts.none, texts.noneDetail, create)
        : table({
            caption: texts.pageNames.searches,
            columns: [
              texts.shared.name,
              texts.shared.state,
              numbers(texts.hits),
              numbers(texts.threshold),
              numbers(texts.shared.version),
            ],
            rows: searches.map((search) => [
              html`<a href="${at}/${search.searchId}"><bdi>${search.name}</bdi></a>`,
              search.heldEditions > 0
                ? state('held', texts.held(search.heldEditions))
                : search.isActive
                  ? state('good', texts.shared.active)
                  : state('held', texts.paused),
              html`<a href="/o/${organization.organizationId}/hits?search=${search.searchId}">
                ${
                  search.recentHits < maxRecentHits
                    ? formatNumber(search.recentHits, language)
                    : texts.shared.orMore(formatNumber(maxRecentHits, language))
                }
              </a>`,
              search.threshold,
              search.version,
            ]),
          }),
  })
}

async function searchPage(desk: SearchDesk, request: OrganizationRequest): Promise<PageAnswer> {
  const { store, clock } = desk.context
  const search = await searchOf(desk.context, request)
  const typed = (request.query.get('tender') ?? '').trim()
  const called = tenderIdIn(typed) === undefined ? await tendersCalled(desk.context, request, typed) : []
  const tender = tenderIdIn(typed) ?? (called.length === 1 ? called[0]!.id : undefined)
  const explained =
    typed === '' || called.length > 1
      ? undefined
      : ((tender === undefined ? undefined : await explainMatch(store, search, tender, clock())) ?? 'none')
  const profiles = await profilesOf(desk.context, request)
  const form = formOfSearch(search)
  const read = readSearchForm(form, profiles, request.language)
  const counted = read.kind === 'read' ? desk.previews.known(questionOf(read)) : undefined
  return builder(desk, request, {
    form,
    profiles,
    search,
    explained,
    called,
    versions: await searchVersions(store.db, search.searchNo, maxVersions),
    ...(counted && { answer: { kind: 'counted', ...counted } as const }),
  })
}
