// A form sent with a sign-in that was too old, or had ended, is not lost: the page that asks for a new one has all
// its fields, and a button that sends them again. Only that page keeps them, no server does, and nothing is sent
// without the button.

import { frameTexts } from './frame-texts.ts'
import { html } from './html.ts'
import { type PageAnswer, PageError, type PageRequest, page, type Viewer } from './page.ts'

/** Where people arrive after signing in for such a page. */
export const signedInPath = '/signed-in'
/** Whose form it is, in the fields that are sent again. */
const senderField = 'kept-for'
/** Fields that are never shown again: a form with one has to be filled in again. */
const secretFields: ReadonlySet<string> = new Set(['credential', 'secret', 'password', 'token'])
/** Fields that a page adds to its forms itself. */
const ownFields: ReadonlySet<string> = new Set(['form-key', senderField])

/**
 * The page for a form of this viewer; undefined if there is nothing to keep, or a secret. Without a viewer nobody knows
 * whose form it was: whoever signs in and presses its button sends it, with their own rights.
 */
export function keptForm({ form, url, language }: PageRequest, viewer: Viewer | undefined): PageAnswer | undefined {
  const fields = [...form].filter(([name]) => name !== senderField)
  const names = fields.map(([name]) => name)
  if (names.every((name) => ownFields.has(name)) || names.some((name) => secretFields.has(name))) return undefined
  const texts = frameTexts[language]
  // a session that ends once more leaves the form with its first sender
  const sender = viewer?.person.personId ?? form.get(senderField) ?? undefined
  return page({
    title: texts.keptTitle,
    lead: viewer ? texts.keptLead : texts.keptEnded,
    status: 403,
    body: html`<div class="stack gap">
      <p>
        <a class="btn go" href="/sign-in?return=${encodeURIComponent(signedInPath)}" target="_blank" rel="noopener">
          ${texts.keptSignIn}
        </a>
      </p>
      <form method="post" action="${url.pathname}${url.search}" class="stack">
        ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
        ${sender !== undefined && html`<input type="hidden" name="${senderField}" value="${sender}">`}
        <p>${texts.keptThen}</p>
        <div><button>${texts.keptSend}</button></div>
      </form>
    </div>`,
  })
}

/** The form as originally sent. Throws PageError if somebody else has signed in meanwhile. */
export function openKeptForm({ form, language }: PageRequest, viewer: Viewer): URLSearchParams {
  const sender = form.get(senderField)
  if (sender === null) return form
  if (sender !== viewer.person.personId) throw new PageError(403, frameTexts[language].keptForOther)
  const fields = new URLSearchParams(form)
  fields.delete(senderField)
  return fields
}
