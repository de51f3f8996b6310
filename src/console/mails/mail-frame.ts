// The one frame of all mails: tables and inline styles, which every mail program draws; nothing is loaded. Mail
// programs that know dark mode get its colors by classes. Pure.
import { oneLine } from '../../digests/digest-content.ts'
import type { RenderedMail } from '../../digests/send-mails.ts'
import { type Content, type Html, html, trustedHtml } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'

const sans = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif'
/** The table is as wide as the window, whatever it holds. */
const wholeWidth = 'width:100%;table-layout:fixed'
/** A word without a space breaks where the line ends. */
const breaks = 'overflow-wrap:anywhere;word-break:break-word'

/** Inline styles of the parts of mails, in the light colors of the console. */
export const mailStyles = {
  text: `margin:0 0 14px;${sans};font-size:15px;line-height:23px;color:#161922;${breaks}`,
  /** The address of a button, for who copies it. */
  address: `margin:14px 0;${sans};font-size:13px;line-height:19px;color:#575b64;${breaks}`,
  small: `margin:0 0 6px;${sans};font-size:13px;line-height:19px;color:#575b64;${breaks}`,
  heading: `margin:0 0 14px;${sans};font-size:22px;line-height:29px;font-weight:700;color:#161922;${breaks}`,
  part: `margin:26px 0 2px;${sans};font-size:13px;line-height:19px;font-weight:700;color:#575b64`,
  button: `display:inline-block;padding:11px 20px;${sans};font-size:15px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none`,
  brand: `padding:0 4px 12px;${sans};font-size:15px;line-height:20px;font-weight:700;color:#161922`,
  link: 'color:#2c47bb;text-decoration:underline',
} as const

/** In the order of the inline styles; mail programs without dark mode ignore it. */
const sheet = trustedHtml(`:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){.pad{padding:20px 16px!important}}
@media (prefers-color-scheme:dark){
.canvas{background:#0c0e14!important}.paper{background:#13161d!important;border-color:#292c36!important}
.ink{color:#eeede9!important}.soft{color:#afb3bb!important}.link{color:#9cb1ff!important}
.near{color:#f0be67!important}.line{border-color:#292c36!important}.go{background:#9cb1ff!important}.go a{color:#080e21!important}}`)

/** Maximum letters of a name in a subject: what the mail is about must not be cut off. */
const longestName = 60

/** A name in a subject. */
export function inSubject(name: string): string {
  const letters = [...oneLine(name)]
  return letters.length <= longestName ? letters.join('') : `${letters.slice(0, longestName - 1).join('')}…`
}

/** How strong a color of the operator is beside white where a mail program shows its dark mode. */
const darkShare = 0.45
/** Our color where mails have it: as ground and as text. */
const ours = { ground: 'background:#2c47bb;', text: 'color:#2c47bb;' } as const

/** A mail with the color of the operator in place of ours. */
export function inColor(mail: RenderedMail, color: string | undefined): RenderedMail {
  if (color === undefined) return mail
  const lighter = [1, 3, 5].map((at) =>
    Math.round(255 - darkShare * (255 - Number.parseInt(color.slice(at, at + 2), 16)))
      .toString(16)
      .padStart(2, '0'),
  )
  const html = mail.html
    .replaceAll(ours.ground, `background:${color};`)
    .replaceAll(ours.text, `color:${color};`)
    .replace('.link{color:#9cb1ff!', `.link{color:#${lighter.join('')}!`)
    .replace('.go{background:#9cb1ff!', `.go{background:#${lighter.join('')}!`)
  return { ...mail, html }
}

export type FramedMail = {
  readonly language: Language
  /** Of the service. */
  readonly name: string
  /** Heading and subject. */
  readonly subject: string
  /** What lists of mails show beside the subject; default: what comes first. */
  readonly preview?: string
  readonly body: Html
  /** Small, below the card. */
  readonly foot: Content
  /** The same as plain text, a paragraph each. */
  readonly text: readonly string[]
}

/** A button as a table cell: a link with padding has none in Outlook. */
export const mailButton = (text: string, address: string): Html => html`
  <table role="presentation" cellpadding="0" cellspacing="0" border="0">
    <tr>
      <td class="go" style="background:#2c47bb;border-radius:7px"><a href="${address}" style="${mailStyles.button}">${text}</a></td>
    </tr>
  </table>
`

export const mailLink = (text: Content, address: string): Html =>
  html`<a class="link" href="${address}" style="${mailStyles.link}">${text}</a>`

export const mailParagraph = (content: Content, kind: 'text' | 'small' | 'address' = 'text'): Html =>
  html`<p class="${kind === 'text' ? 'ink' : 'soft'}" style="${mailStyles[kind]}">${content}</p>`

/** A paragraph with its line ends. */
export const inLines = (text: string): Content =>
  text.split('\n').map((line, index) => (index === 0 ? line : html`<br>${line}`))

export function framedMail({ language, name, subject, preview, body, foot, text }: FramedMail): RenderedMail {
  const line = oneLine(subject)
  const document = html`<!doctype html>
    <html lang="${language}">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark">
      <meta name="supported-color-schemes" content="light dark">
      <title>${line}</title>
      <style>${sheet}</style>
    </head>
    <body class="canvas" style="margin:0;padding:0;background:#f7f6f3">
      ${preview !== undefined && html`<div style="display:none;max-height:0;overflow:hidden">${preview}</div>`}
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="canvas" style="background:#f7f6f3">
        <tr><td align="center" style="padding:20px 10px">
          <table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="${wholeWidth};max-width:600px">
            <tr><td class="ink" style="${mailStyles.brand}">${name}</td></tr>
            <tr><td class="paper pad" style="background:#ffffff;border:1px solid #e3e2dd;border-radius:11px;padding:28px">
              <h1 class="ink" style="${mailStyles.heading}">${line}</h1>
              ${body}
            </td></tr>
            <tr><td class="pad" style="padding:18px 4px">${foot}</td></tr>
          </table>
        </td></tr>
      </table>
    </body>
    </html>
  `
  return { subject: line, text: `${[line, ...text].join('\n\n')}\n`, html: document.text }
}
