// What the pages of authorities and companies show: figures, pictures with their tables, lists. Each figure says how
// many notices are behind it.
import { buyersOf } from '../../domain/buyers.ts'
import { winnersOf } from '../../domain/companies/companies.ts'
import { identifierOf } from '../../domain/organization-identity.ts'
import type { TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import { authorityKey } from '../../domain/words.ts'
import { valueBands } from '../../edition/format/value-bands.ts'
import { formatDay, formatMoney, formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type PageAnswer, type PageRequest, page } from '../frame/page.ts'
import { bars, empty, figures, more, noteBox, numbers, part, quoted, rowBars, table } from '../frame/parts.ts'
import { titleOf } from '../frame/record-texts.ts'
import { type Award, awardsOf, buyersIn, countOf, spreadOf, tally, winnersIn } from '../market/dossier.ts'
import { companyAddress, type Party } from '../market/party.ts'
import { authorityLink, companyLink } from '../market/party-links.ts'
import { valueText } from '../tenders/tender-values.ts'
import { addressOf, readAddress } from './asked.ts'
import { divisionCode, tradeName, valueName } from './facet-parts.ts'
import { findTexts } from './find-texts.ts'
import type { FoundStock } from './found-stock.ts'
import { partyTexts } from './party-texts.ts'
import { tenderCard } from './tender-card.ts'

/** Rows at once; of open tenders, cards. */
const [maxRows, maxBars, maxCards, maxChips] = [25, 8, 10, 6]

export type PartyView = {
  readonly request: PageRequest
  readonly stock: FoundStock
  readonly party: Party
  /** Whether an organization of a record is the party. */
  readonly isSame: (organization: TenderOrganization) => boolean
  readonly records: readonly TenderRecord[]
  /** Organizations with its name or number that contradict it. */
  readonly apart: readonly TenderOrganization[]
  readonly read: { readonly records: readonly TenderRecord[]; readonly total: number; readonly isIndexed: boolean }
}

export function partyPage(
  kind: 'authority' | 'company',
  view: PartyView,
  bodyOf: (view: PartyView) => Html,
): PageAnswer {
  const { request, stock, party, records, isSame, read } = view
  const { language } = request
  const texts = partyTexts[language]
  const number = (count: number) => formatNumber(count, language)
  const own = records.flatMap(kind === 'authority' ? buyersOf : winnersOf).filter(isSame)
  const city = own.find((each) => each.city !== undefined)?.city
  const { tenders, notices } = countOf(records)
  const place = texts.inCountry(valueText('country', party.country, { language }), city)
  return page({
    title: party.name,
    crumbs: [[texts.backToSearch, '/tenders']],
    current: '/tenders',
    styles: ['find'],
    isUnlisted: true,
    ...(tenders === 0 && { status: 404 as const }),
    lead:
      tenders === 0
        ? place
        : html`${quoted(place)} · ${texts.from(texts.behind(number(tenders), number(notices)))}, ${texts.isSince}`,
    body: html`<p class="stamp">${stock.stamp}</p>
${!read.isIndexed && noteBox('info', texts.indexing)}
${read.total > read.records.length && noteBox('info', texts.capped(number(read.records.length), number(read.total)))}
${
  tenders === 0
    ? empty(texts.nothing, texts.nothingBody, html`<a class="btn" href="/tenders">${texts.backToSearch}</a>`)
    : bodyOf(view)
}
${identityPart(kind, view)}`,
  })
}

export function authorityBody(view: PartyView): Html {
  const { request, records, party, stock } = view
  const { language } = request
  const texts = partyTexts[language]
  const number = (count: number) => formatNumber(count, language)
  const awards = awardsOf(records)
  const open = records.filter(({ status }) => status === 'open')
  const planned = records.filter(({ status }) => status === 'planned')
  const winners = winnersIn(awards)
  const companies = winners.filter(({ winner }) => winner !== undefined).length
  const received = awards.flatMap((award) => award.received)
  const bidders = spreadOf(received)
  const search = addressOf(readAddress(new URLSearchParams(), language).asked, {
    authorities: [party.nationalId ?? party.name],
  })
  const how = {
    asked: readAddress(new URLSearchParams(), language).asked,
    language,
    now: stock.now,
    pages: stock.pages,
    hasParties: false,
  }
  const { notices } = countOf([...open, ...planned])
  return html`${figures([
    { name: texts.openNow, value: number(open.length), note: texts.openNote(number(planned.length), number(notices)) },
    {
      name: texts.awarded,
      value: number(awards.length),
      note: texts.byCompanies(number(companies), noticesOf(awards, language)),
    },
    usualFigure(awards, language),
    {
      name: texts.bidders,
      value: bidders ? number(Math.round(bidders.median)) : '–',
      note: texts.median(number(received.length)),
    },
  ])}
${pictures(awards, records, language)}
${
  winners.length > 0 &&
  part(
    texts.winners,
    shareTable(
      texts.company,
      winners.map(({ winner, ...line }) => ({ ...line, name: winner ? companyLink(winner) : texts.noCompany })),
      awards.length,
      language,
    ),
    texts.winnersNote,
  )
}
${
  open.length + planned.length > 0 &&
  part(
    texts.openNow,
    html`<ol class="finds">${[...open, ...planned].slice(0, maxCards).map((record) => tenderCard(record, how))}</ol>`,
    html`<a href="${search}">${texts.all}</a>`,
  )
}
${lastAwards(texts.last, awards, view)}`
}

export function companyBody(view: PartyView): Html {
  const { request, records, isSame } = view
  const { language } = request
  const texts = partyTexts[language]
  const number = (count: number) => formatNumber(count, language)
  const awards = awardsOf(records, isSame)
  const authorities = buyersIn(awards)
  const [last] = awards
  return html`${figures([
    {
      name: texts.won,
      value: number(awards.length),
      note: texts.ofAuthorities(number(authorities.length), noticesOf(awards, language)),
    },
    usualFigure(awards, language),
    { name: texts.newestAward, value: last ? formatDay(last.at, language) : '–' },
  ])}
${pictures(awards, undefined, language)}
${
  authorities.length > 0 &&
  part(
    texts.buyers,
    shareTable(
      texts.authority,
      authorities.map(({ buyer, awards: own }) => {
        const known = own.flatMap(({ euros }) => euros ?? [])
        return {
          name: authorityLink(buyer),
          awards: own,
          euros: known.reduce((sum, each) => sum + each, 0),
          ofAwards: known.length,
        }
      }),
      awards.length,
      language,
    ),
  )
}
${lastAwards(texts.lastWins, awards, view)}`
}

const noticesOf = (awards: readonly Award[], language: Language): string =>
  formatNumber(countOf(awards.map(({ record }) => record)).notices, language)

const euros = (value: number, language: Language): string =>
  formatMoney(Math.round(value), 'EUR', language, { isShort: true })

function usualFigure(awards: readonly Award[], language: Language) {
  const texts = partyTexts[language]
  const known = awards.filter((award) => award.euros !== undefined)
  const spread = spreadOf(known.map((award) => award.euros!))
  return {
    name: texts.usual,
    value: spread ? euros(spread.median, language) : '–',
    note: spread
      ? texts.half(euros(spread.low, language), euros(spread.high, language), noticesOf(known, language))
      : texts.tooFew(formatNumber(known.length, language)),
  }
}

/** `bought`: all tenders of an authority, open ones too. */
function pictures(awards: readonly Award[], bought: readonly TenderRecord[] | undefined, language: Language): Html {
  const texts = partyTexts[language]
  const won = awards.map(({ record }) => record)
  return html`<div class="split even gap part">${valuesPicture(awards, language)}${yearsPicture(awards, language)}</div>
<div class="split even gap part">
${
  bought &&
  rowPicture(
    texts.procedures,
    texts.procedure,
    texts.proceduresFinding,
    tally(bought, ({ procedureType }) => [procedureType ?? '']),
    (code) => (code === '' ? texts.noProcedure : valueText('procedureType', code, { language })),
    language,
  )
}
${rowPicture(
  bought ? texts.trades : texts.wonTrades,
  texts.trade,
  texts.tradesFinding,
  tally(bought ?? won, divisionsOf),
  (division) => tradeName(divisionCode(division), language),
  language,
)}</div>`
}

const divisionsOf = ({ cpvCodes }: TenderRecord): string[] => cpvCodes.slice(0, 1).map((code) => code.slice(0, 2))

function valuesPicture(awards: readonly Award[], language: Language): Html | false {
  const texts = partyTexts[language]
  const number = (count: number) => formatNumber(count, language)
  const known = awards.filter((award) => award.euros !== undefined)
  if (known.length === 0) return false
  const list = valueBands.map(({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }, index) => ({
    name: valueName(valueBands[index]!.min, valueBands[index]!.max, language),
    items: known.filter((award) => award.euros! >= min && (award.euros! < max || max === Number.POSITIVE_INFINITY)),
  }))
  return html`<div><h2>${texts.values}</h2><p class="soft small">${texts.valuesNote}</p>${rowBars({
    finding: texts.valuesFinding(number(known.length)),
    list: list.map(({ name, items }) => ({
      label: name,
      value: items.length,
      text: number(items.length),
      title: `${name}: ${number(items.length)}`,
    })),
  })}${asTable(
    texts.values,
    texts.value,
    list.map(({ name, items }) => [name, number(items.length), noticesOf(items, language)]),
    language,
  )}</div>`
}

function yearsPicture(awards: readonly Award[], language: Language): Html | false {
  const texts = partyTexts[language]
  const number = (count: number) => formatNumber(count, language)
  const yearOf = ({ at }: Award) => String(new Date(at).getUTCFullYear())
  const [most, ...others] = tally(awards, (award) => [yearOf(award)])
  if (!most) return false
  const list = [most, ...others].sort(([a], [b]) => (a < b ? -1 : 1))
  return html`<div><h2>${texts.years}</h2>${bars({
    finding: texts.yearsFinding(number(most[1].length), most[0]),
    format: number,
    list: list.map(([year, items]) => ({
      label: year,
      value: items.length,
      title: `${year}: ${number(items.length)}`,
    })),
  })}${asTable(
    texts.years,
    texts.year,
    list.toReversed().map(([year, items]) => [year, number(items.length), noticesOf(items, language)]),
    language,
  )}</div>`
}

function rowPicture(
  heading: string,
  column: string,
  finding: (name: string, most: string) => string,
  groups: ReturnType<typeof tally<TenderRecord>>,
  nameOf: (key: string) => string,
  language: Language,
): Html | false {
  const number = (count: number) => formatNumber(count, language)
  const [first] = groups
  if (!first) return false
  return html`<div><h2>${heading}</h2>${rowBars({
    finding: finding(nameOf(first[0]), number(first[1].length)),
    list: groups.slice(0, maxBars).map(([key, items]) => ({
      label: nameOf(key),
      value: items.length,
      text: number(items.length),
      title: `${nameOf(key)}: ${number(items.length)}`,
    })),
  })}${asTable(
    heading,
    column,
    groups.map(([key, items]) => [nameOf(key), number(items.length), number(countOf(items).notices)]),
    language,
  )}</div>`
}

function asTable(caption: string, head: string, rows: readonly (readonly Content[])[], language: Language): Html {
  const texts = partyTexts[language]
  return more(
    html`${texts.shared.asTable}<span class="hide">: ${caption}</span>`,
    table({ caption, kind: 'mini', columns: [head, numbers(texts.tenders), numbers(texts.shared.notices)], rows }),
  )
}

type ShareLine = {
  readonly name: Content
  readonly awards: readonly Award[]
  readonly euros: number
  readonly ofAwards: number
}

function shareTable(head: string, lines: readonly ShareLine[], whole: number, language: Language): Html {
  const texts = partyTexts[language]
  const number = (count: number) => formatNumber(count, language)
  return html`${table({
    caption: head,
    columns: [head, numbers(texts.tenders), texts.share, numbers(texts.sum), numbers(texts.shared.notices)],
    rows: lines
      .slice(0, maxRows)
      .map(({ name, awards, euros: sum, ofAwards }) => [
        name,
        number(awards.length),
        html`<progress class="meter" max="${whole}" value="${awards.length}" aria-label="${texts.shareOf(number(awards.length), number(whole))}"></progress>`,
        ofAwards === 0 ? '–' : html`${euros(sum, language)} <span class="soft">${texts.sumOf(number(ofAwards))}</span>`,
        noticesOf(awards, language),
      ]),
  })}${lines.length > maxRows && html`<p class="soft">${texts.more(number(lines.length - maxRows))}</p>`}`
}

/** The newest awards; of one trade, if the address says so. */
function lastAwards(heading: string, awards: readonly Award[], view: PartyView): Html | false {
  const { request, stock, isSame } = view
  const { language, url, query } = request
  const texts = partyTexts[language]
  const trades = tally(awards, ({ record }) => divisionsOf(record)).map(([division]) => division)
  const asked = trades.find((division) => division === query.get('trade'))
  const shown = asked === undefined ? awards : awards.filter(({ record }) => divisionsOf(record).includes(asked))
  if (awards.length === 0) return false
  const to = (trade: string | undefined) => {
    const parameters = new URLSearchParams(query)
    parameters.delete('trade')
    if (trade !== undefined) parameters.set('trade', trade)
    return `${url.pathname}?${parameters}#last`
  }
  const chip = (trade: string | undefined, name: string) =>
    html`<a class="chip" href="${to(trade)}"${trade === asked && html` aria-current="true"`} rel="nofollow">${name}</a>`
  const chips = html`<div class="chips" role="group" aria-label="${texts.trade}">
    ${chip(undefined, texts.allTrades)}${trades.slice(0, maxChips).map((division) => chip(division, tradeName(divisionCode(division), language)))}
  </div>`
  return html`<section class="part" id="last"><header><h2>${heading}</h2></header>
${trades.length > 1 && chips}
${table({
  caption: heading,
  columns: [texts.tender, texts.winner, texts.trade, numbers(texts.value), texts.when],
  rows: shown.slice(0, maxRows).map(({ record, winners, euros: sum, at }) => {
    const { text, lang } = titleOf(record)
    const named = [...new Map(winners.map((winner) => [authorityKey(winner.name), winner])).values()]
    return [
      html`<a href="${stock.pages}${record.id}">${quoted(text || findTexts[language].untitled, lang)}</a>`,
      named.length === 0
        ? texts.noWinner
        : named.map(
            (each, index) => html`${index > 0 && html`<br>`}${isSame(each) ? quoted(each.name) : companyLink(each)}`,
          ),
      tradeName(divisionCode(divisionsOf(record)[0] ?? ''), language),
      sum === undefined ? '–' : euros(sum, language),
      formatDay(at, language),
    ]
  }),
})}</section>`
}

/** Whose notices are counted, and which are not though they have the name or the number. */
function identityPart(kind: 'authority' | 'company', { request: { language }, party, apart }: PartyView): Html {
  const texts = partyTexts[language]
  // whoever has no page is not named on that of somebody else
  const listed = kind === 'authority' ? apart : apart.filter((each) => companyAddress(each) !== undefined)
  const groups = tally(listed, ({ name, nationalId = '' }) => [`${authorityKey(name)} ${nationalId}`])
  const linkOf = kind === 'authority' ? authorityLink : companyLink
  const isNumbered = party.nationalId !== undefined
  const whose = [
    isNumbered ? texts.byId(party.nationalId) : texts.byName,
    ...(isNumbered && kind === 'authority' ? [texts.nameToo] : []),
  ].join(' ')
  return part(
    texts.identity,
    html`<p class="soft">${whose}</p>
${
  groups.length > 0 &&
  html`<p class="soft">${texts.apart}</p><ul>${groups
    .slice(0, maxRows)
    .map(
      ([, [first]]) =>
        html`<li>${linkOf(first!)}${identifierOf(first!) !== undefined && html` <span class="soft">(${quoted(first!.nationalId!)})</span>`}</li>`,
    )}</ul>`
}`,
  )
}
