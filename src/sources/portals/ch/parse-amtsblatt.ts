// One publication of the gazette portal (Amtsblattportal): a head of common members, a content that differs by canton.
import type { FormType, MultilingualText, Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { readPortalNotice, readXmlDocument } from '../../read-portal-notice.ts'
import { deadlineIn, descriptionIn, instantIn, organizationOf, textsByLanguage } from '../../read-values.ts'
import { cleanField } from '../../text.ts'
import { childNamed, deepTextOf, descendantsNamed, pathNamed, textOf, type XmlElement } from '../../xml.ts'

const publisher = 'ch-amtsblatt'
const zone = 'Europe/Zurich'

/** Kinds by the words of the title, which begins with the name of the sub-rubric. */
function formTypeOf(words: string): FormType {
  if (/zuschlag|vergabe(?:entscheid)?\b|freihändig|aggiudicazion|adjudication/i.test(words)) return 'result'
  if (/vorankündigung|preavviso|préavis/i.test(words)) return 'planning'
  return /berichtigung|rettifica|rectification/i.test(words) ? 'change' : 'competition'
}

function titlesOf(meta: XmlElement | undefined, language: string): MultilingualText | undefined {
  const texts = (childNamed(meta, 'title')?.children ?? []).map((title) => [title.name, textOf(title)] as const)
  return textsByLanguage(Object.fromEntries(texts), language)
}

/** The deadline, if the content of this canton has one under a name that tells. */
function deadlineOf(content: XmlElement | undefined) {
  if (!content) return undefined
  for (const name of ['submissionDeadline', 'offerDeadline', 'deadline', 'entryDeadline']) {
    for (const element of descendantsNamed(content, name)) {
      const deadline = deadlineIn(textOf(element), zone)
      if (deadline) return deadline
    }
  }
  return undefined
}

function readPublication(root: XmlElement): Notice | Rejection {
  const meta = childNamed(root, 'meta') ?? [...descendantsNamed(root, 'meta')][0]
  const content = childNamed(root, 'content') ?? [...descendantsNamed(root, 'content')][0]
  const language = textOf(childNamed(meta, 'language'))?.toLowerCase() ?? 'de'
  const id = cleanField(textOf(childNamed(meta, 'id')), 100)
  const title = titlesOf(meta, language)
  const words = Object.values(title ?? {}).join(' ')
  const formType = formTypeOf(words)
  const office = childNamed(meta, 'registrationOffice')
  const buyer = organizationOf(
    {
      name:
        textOf([...descendantsNamed(content ?? root, 'contractingAuthority')][0]) ??
        textOf(childNamed(office, 'displayName')),
      street: textOf(childNamed(office, 'street')),
      city: textOf(childNamed(office, 'town')),
      postalCode: textOf(childNamed(office, 'swissZipCode')),
    },
    'CH',
  )
  const state = textOf(childNamed(meta, 'publicationState'))
  return readPortalNotice({
    id,
    publisher,
    profile: 'amtsblatt-publication',
    noticeId: id,
    internalReference: cleanField(textOf(childNamed(meta, 'publicationNumber')), 100),
    formType,
    noticeType:
      cleanField(textOf(childNamed(meta, 'subRubric')) ?? textOf(childNamed(meta, 'rubric')), 50) ?? 'publication',
    language: /^[a-z]{2}$/.test(language) ? language : 'de',
    title,
    description: content ? descriptionIn(deepTextOf(content), language) : undefined,
    publicationDate: instantIn(textOf(childNamed(meta, 'publicationDate')), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    submissionDate: formType === 'result' ? undefined : deadlineOf(content),
    isCancelled: state === 'CANCELLED' || /abbruch|widerruf|interruzione|interruption/i.test(words) ? true : undefined,
    url: id && `https://www.amtsblattportal.ch/#!/search/publications/detail/${encodeURIComponent(id)}`,
  })
}

/** Never throws. */
export function parseAmtsblatt(bytes: Uint8Array): ParsedPart[] {
  return readXmlDocument(bytes, (root) =>
    pathNamed(root, 'meta') || [...descendantsNamed(root, 'meta')][0]
      ? readPublication(root)
      : { reason: 'unsupported-format', path: `/${root.name.slice(0, 100)}`, detail: 'no publication of the gazette' },
  )
}
