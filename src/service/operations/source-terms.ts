// `tenderstock source terms`: what a person has to settle before a service reads portals and sells access: whom portals
// may contact, keys, agreements, attributions, and questions that no program answers.
import { keyVariable } from '../../platform/settings.ts'
import { requiredAttribution } from '../../sources/attribution.ts'
import { openQuestions } from '../../sources/open-questions.ts'
import { loadSources } from '../../sources/registry.ts'
import type { Source } from '../../sources/source.ts'
import type { Operation } from '../control/operation-context.ts'
import type { SourceEvents } from '../events/source-events.ts'
import type { CheckContext } from './source-operations.ts'

type Term = Omit<SourceEvents['sourceTerm'], 'source' | 'title'>

/** Changes nothing. `--country XX`: of one country. */
export const listTerms: Operation<CheckContext> = async ({ config, keyOf }, { options }, emit) => {
  const country = options.country === undefined ? undefined : String(options.country).toUpperCase()
  const sources = [...(await loadSources()).values()].filter(
    (each) => country === undefined || each.country === country,
  )
  const found = sources.flatMap((source) => [...termsOf(source, keyOf)].map((term) => ({ source, ...term })))
  emit({
    event: 'sourceTerm',
    source: null,
    title: null,
    kind: 'contact',
    detail: config.contact ?? null,
    at: null,
    isSettled: config.contact !== undefined,
  })
  for (const kind of ['key', 'agreement', 'robots', 'question', 'license', 'attribution'] as const)
    for (const { source, ...term } of found)
      if (term.kind === kind) emit({ event: 'sourceTerm', source: source.id, title: source.title, ...term })
  return 0
}

/** Of a source that runs only when it is named, nothing else has to be settled before it is. */
function* termsOf(source: Source, keyOf: CheckContext['keyOf']): Generator<Term> {
  const { access, license, homepage, politeness, offBecause } = source
  const at = license.url ?? homepage
  if (offBecause === 'terms') return yield { kind: 'agreement', detail: license.name, at, isSettled: false }
  if (offBecause === 'robots') return yield { kind: 'robots', detail: null, at: homepage, isSettled: false }
  if (offBecause !== undefined) return
  if (access.kind === 'key')
    yield {
      kind: 'key',
      detail: keyVariable(access.setting),
      at: access.getItAt,
      isSettled: keyOf(access.setting) !== undefined,
    }
  if (typeof politeness.robots === 'object')
    yield { kind: 'robots', detail: politeness.robots.exempt, at: homepage, isSettled: false }
  const question = openQuestions[source.id]
  if (question) yield { kind: 'question', detail: question.question, at: question.at, isSettled: false }
  const attribution = requiredAttribution(source)
  if (attribution === undefined) yield { kind: 'license', detail: license.name, at, isSettled: false }
  // the export and the pages of a tender show it; whoever sells access passes it on
  if (typeof attribution === 'string') yield { kind: 'attribution', detail: attribution, at, isSettled: true }
}
