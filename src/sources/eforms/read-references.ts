// The references of a notice to other notices: the one it changes, the one it modifies, earlier ones.
import type { FormType, MultilingualText, NoticeReference } from '../../domain/notice.ts'
import { textOf, type XmlElement } from '../xml/xml.ts'
import { allCac, allCbc, allEfac, allEfbc, cac, codeOf } from './elements.ts'
import { type NoticeContext, textsOf } from './notice-context.ts'
import { lotElements } from './read-lots.ts'

type Target = Omit<NoticeReference, 'kind'>

/**
 * Reads the formats in which notices are named: `<uuid>-01`, `<uuid>`, `123456-2024` with or without leading zeros,
 * `2024/S 012-123456`, and the numeric `17750180-1` of the German below-threshold channel. Undefined for anything else.
 */
export function parseNoticeReference(text: string | undefined): Target | undefined {
  if (!text) return undefined
  const read = text.trim()
  const uuid = /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?:-(\d{1,3}))?$/i.exec(read)
  if (uuid) return { noticeId: uuid[1]!.toLowerCase(), ...(uuid[2] && { noticeVersion: uuid[2] }) }
  const publicationNumber = toPublicationNumber(read)
  if (publicationNumber) return { publicationNumber }
  const journal = /^((?:19|20)\d{2})\/S\s*\d{1,3}\s*-\s*0*(\d{1,8})$/i.exec(read)
  if (journal) return { publicationNumber: `${journal[2]}-${journal[1]}` }
  const numeric = /^(\d{6,12})-(\d{1,3})$/.exec(read)
  if (numeric) return { noticeId: numeric[1]!, noticeVersion: numeric[2]! }
  return undefined
}

/** An Official Journal number (`00123456-2024`) without zero padding; undefined for any other text. */
export function toPublicationNumber(text: string | undefined): string | undefined {
  const match = /^0*([1-9]\d{0,7})-((?:19|20)\d{2})$/.exec(text?.trim() ?? '')
  return match ? `${match[1]}-${match[2]}` : undefined
}

/**
 * All references without repeats and without one to the notice itself. On the procedure (OPP-090) the element names any
 * earlier notice. On a lot or Part it is BT-125, the previous planning notice; in results senders put the call there.
 */
export function readReferences(
  root: XmlElement,
  extension: XmlElement | undefined,
  own: Target,
  formType: FormType,
): NoticeReference[] {
  const references = new Map<string, NoticeReference>()
  const add = (kind: NoticeReference['kind'], elements: readonly XmlElement[]): void => {
    for (const element of elements) {
      const target = parseNoticeReference(textOf(element))
      if (!target || isSame(target, own)) continue
      const key = `${target.noticeId ?? ''}|${target.noticeVersion ?? ''}|${target.publicationNumber ?? ''}`
      if (!references.has(key)) references.set(key, { kind, ...target })
    }
  }
  for (const changes of allEfac(extension, 'Changes')) add('changes', allEfbc(changes, 'ChangedNoticeIdentifier'))
  for (const modification of allEfac(extension, 'ContractModification')) {
    add('modifies', allEfbc(modification, 'ChangedNoticeIdentifier'))
  }
  add('previous', documentIds(root))
  const isBeforeAward =
    formType !== 'result' && formType !== 'dir-awa-pre' && formType !== 'cont-modif' && formType !== 'completion'
  for (const lot of lotElements(root)) add(isBeforeAward ? 'planning' : 'previous', documentIds(lot))
  return [...references.values()]
}

function documentIds(holder: XmlElement): readonly XmlElement[] {
  return allCac(cac(holder, 'TenderingProcess'), 'NoticeDocumentReference').flatMap((reference) =>
    allCbc(reference, 'ID'),
  )
}

function isSame(target: Target, own: Target): boolean {
  if (target.publicationNumber) return target.publicationNumber === own.publicationNumber
  return target.noticeId === own.noticeId && Number(target.noticeVersion) === Number(own.noticeVersion)
}

/** BT-140 codes of the change block; empty when it names none, undefined when there is no block. */
export function readChangeReasons(extension: XmlElement | undefined): string[] | undefined {
  const blocks = allEfac(extension, 'Changes')
  if (blocks.length === 0) return undefined
  const codes = blocks
    .flatMap((changes) => allEfac(changes, 'ChangeReason'))
    .flatMap((reason) => allCbc(reason, 'ReasonCode'))
    .map(codeOf)
    .filter((code) => code !== undefined)
  return [...new Set(codes)]
}

/** BT-141 and BT-762 of the change block, all of a language as one text. */
export function readChangeText(
  extension: XmlElement | undefined,
  context: NoticeContext,
): MultilingualText | undefined {
  const blocks = allEfac(extension, 'Changes')
  const reasons = blocks.flatMap((changes) => allEfac(changes, 'ChangeReason'))
  const changes = blocks.flatMap((block) => allEfac(block, 'Change'))
  const texts: { [language: string]: string } = {}
  for (const element of [
    ...changes.flatMap((change) => allEfbc(change, 'ChangeDescription')),
    ...reasons.flatMap((reason) => allEfbc(reason, 'ReasonDescription')),
  ])
    for (const [language, text] of Object.entries(textsOf([element], 'description', context) ?? {}))
      if (!texts[language]?.includes(text)) texts[language] = texts[language] ? `${texts[language]}\n${text}` : text
  return Object.keys(texts).length > 0 ? texts : undefined
}
