// One publication of the gazette portal (Amtsblattportal): a head of common members, a content that differs by canton.
import type { MultilingualText } from '../../../domain/notice.ts'
import { deadlineIn, descriptionIn, textsByLanguage } from '../../read-values.ts'
import { cleanField, cleanText } from '../../text.ts'
import { childNamed, deepTextOf, descendantsNamed, textOf, type XmlElement } from '../../xml/xml.ts'
import { firstMatch, homeOf, xmlParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'ch-amtsblatt', profile: 'amtsblatt-publication', language: 'de' })

/** Kinds by the words of the title, which begins with the name of the sub-rubric. */
const forms = {
  result: /zuschlag|vergabe(?:entscheid)?\b|freihändig|aggiudicazion|adjudication/i,
  planning: /vorankündigung|preavviso|préavis/i,
  change: /berichtigung|rettifica|rectification/i,
}

/** The titles by language; one in the language of the publication where the portal repeats it under all of them. */
function titlesOf(meta: XmlElement | undefined, language: string): MultilingualText | undefined {
  const texts = (childNamed(meta, 'title')?.children ?? []).map((title) => [title.name, textOf(title)] as const)
  const titles = textsByLanguage(Object.fromEntries(texts), language)
  const different = new Set(Object.values(titles ?? {}))
  return titles?.[language] !== undefined && different.size === 1 ? { [language]: titles[language] } : titles
}

/**
 * The deadline, if this canton's content has one under a recognizable name; else the one in the text of a call that
 * came from simap.
 */
function deadlineOf(content: XmlElement | undefined, text: string) {
  if (!content) return undefined
  for (const name of ['submissionDeadline', 'offerDeadline', 'deadline', 'entryDeadline']) {
    for (const element of descendantsNamed(content, name)) {
      const deadline = deadlineIn(textOf(element), home.zone)
      if (deadline) return deadline
    }
  }
  const [, day, month, year, time] =
    /(?:Einreichen des Angebots|Presentazione dell['’]offerta):\s*(\d\d)\.(\d\d)\.(\d{4})(?:,\s*(\d\d:\d\d))?/.exec(
      text,
    ) ?? []
  return year && deadlineIn(`${year}-${month}-${day}${time ? `T${time}` : ''}`, home.zone)
}

export const parseAmtsblatt = xmlParser(home, (root) => {
  const meta = firstWithin(root, 'meta')
  if (!meta)
    return {
      reason: 'unsupported-format',
      path: `/${root.name.slice(0, 100)}`,
      detail: 'no publication of the gazette',
    }
  const content = firstWithin(root, 'content')
  const text = (name: string): string | undefined => textOf(childNamed(meta, name))
  const language = text('language')?.toLowerCase() ?? 'de'
  const id = cleanField(text('id'), 100)
  const title = titlesOf(meta, language)
  const words = Object.values(title ?? {}).join(' ')
  const formType = firstMatch(forms, words) ?? 'competition'
  const office = childNamed(meta, 'registrationOffice')
  const body = cleanText(content && deepTextOf(content)) ?? ''
  const buyer = text('onBehalfOf') ?? textOf([...descendantsNamed(content ?? root, 'contractingAuthority')][0])
  // `#42431-01`: the first publication of project 42431, which is the reference of its notices on simap.
  const project = /^#?(\d+)-\d+$/.exec(textOf([...descendantsNamed(root, 'simapPublicationNumber')][0]) ?? '')?.[1]
  return {
    id,
    formType,
    noticeType: cleanField(text('subRubric') ?? text('rubric'), 50) ?? 'publication',
    reference: project ?? cleanField(text('publicationNumber'), 100),
    language: /^[a-z]{2}$/.test(language) ? language : 'de',
    title,
    description: content && descriptionIn(deepTextOf(content), language),
    publishedAt: text('publicationDate'),
    deadline: formType === 'result' ? undefined : deadlineOf(content, body),
    // The office is the buyer only where nobody else is named.
    buyer: buyer
      ? { name: buyer }
      : {
          name: textOf(childNamed(office, 'displayName')),
          street: textOf(childNamed(office, 'street')),
          city: textOf(childNamed(office, 'town')),
          postalCode: textOf(childNamed(office, 'swissZipCode')),
        },
    cpv: /(?:Haupt-CPV|CPV principale):\s*(\d{8})/.exec(body)?.[1],
    isCancelled: text('publicationState') === 'CANCELLED' || /abbruch|widerruf|interruzione|interruption/i.test(words),
    url: id && `https://www.amtsblattportal.ch/#!/search/publications/detail/${encodeURIComponent(id)}`,
    also: { id, noticeId: id },
  }
})

const firstWithin = (root: XmlElement, name: string): XmlElement | undefined =>
  childNamed(root, name) ?? [...descendantsNamed(root, name)][0]
