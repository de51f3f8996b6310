// Imitations of the incoming webhooks of Slack and Teams: what they accept by their published limits, and that no text
// of a stranger is read as markup.
import { chatLimits } from '../../src/webhooks/chat-body.ts'

type Text = { readonly type?: unknown; readonly text?: unknown }
type Block = {
  readonly type?: unknown
  readonly text?: Text
  readonly elements?: readonly { readonly type?: unknown; readonly text?: Text; readonly url?: unknown }[]
}

/** What is wrong with a message for Slack; empty if it is accepted. */
export function acceptsSlack(body: string): string[] {
  const { text, blocks = [] } = JSON.parse(body) as { readonly text?: unknown; readonly blocks?: readonly Block[] }
  const faults: string[] = []
  const check = (isRight: boolean, fault: string): void => void (isRight || faults.push(fault))
  check(typeof text === 'string' && text !== '' && text.length <= 4000, 'text')
  check(!/[<>]/.test(String(text)), 'markup in the text')
  check(blocks.length <= 50, 'more than 50 blocks')
  const plain = (of: Text | undefined, most: number): void => {
    const { type, text: inner } = of ?? {}
    check(type === 'plain_text', 'a text that is read as markup')
    check(typeof inner === 'string' && inner.length >= 1 && inner.length <= most && inner.isWellFormed(), 'length')
  }
  for (const { type, text: of, elements = [] } of blocks) {
    check(['header', 'section', 'actions'].includes(String(type)), `block ${type}`)
    if (type === 'header') plain(of, chatLimits.slackHeader)
    if (type === 'section') plain(of, chatLimits.slackSection)
    for (const element of elements) {
      check(element.type === 'button', `element ${element.type}`)
      plain(element.text, 75)
      check(
        typeof element.url === 'string' && element.url.length <= chatLimits.slackUrl && URL.canParse(element.url),
        'url',
      )
    }
  }
  return faults
}

type Card = {
  readonly type?: unknown
  readonly version?: unknown
  readonly body?: readonly { readonly type?: unknown; readonly inlines?: readonly Text[] }[]
  readonly actions?: readonly { readonly type?: unknown; readonly title?: unknown; readonly url?: unknown }[]
}
type CardMessage = {
  readonly type?: unknown
  readonly attachments?: readonly { readonly contentType?: unknown; readonly content?: Card }[]
}

/** What is wrong with a message for a workflow of Teams; empty if it is accepted. */
export function acceptsCard(body: string): string[] {
  const { type, attachments = [] } = JSON.parse(body) as CardMessage
  const faults: string[] = []
  const check = (isRight: boolean, fault: string): void => void (isRight || faults.push(fault))
  check(Buffer.byteLength(body) <= chatLimits.teamsBytes, 'more than 28 KB')
  check(type === 'message' && attachments.length === 1, 'not one card')
  const { contentType, content } = attachments[0] ?? {}
  check(contentType === 'application/vnd.microsoft.card.adaptive', 'content type')
  check(content?.type === 'AdaptiveCard' && content.version === '1.4', 'card')
  for (const block of content?.body ?? []) {
    check(block.type === 'RichTextBlock', `${block.type} reads Markdown`)
    for (const run of block.inlines ?? [])
      check(run.type === 'TextRun' && typeof run.text === 'string' && run.text !== '' && run.text.isWellFormed(), 'run')
  }
  for (const action of content?.actions ?? [])
    check(action.type === 'Action.OpenUrl' && URL.canParse(String(action.url)), `action ${action.type}`)
  return faults
}
