// A link that is shown once, for somebody to hand over.
import { type Html, html } from './html.ts'
import type { Language } from './languages.ts'
import { sharedTexts } from './shared-texts.ts'

/** `signsIn`: the link signs in somebody who exists; else it is an invitation. */
export type HandedLink = { readonly mail: string; readonly link: string; readonly signsIn?: true }

export function linkCard({ mail, link, signsIn }: HandedLink, language: Language): Html {
  const texts = sharedTexts[language].shared
  return html`<section class="card stack">
    <h2>${texts.handLink}</h2>
    <p class="soft small">${signsIn ? texts.handSignInDetail(mail) : texts.handLinkDetail(mail)}</p>
    <div class="secret">
      <code id="link" tabindex="0">${link}</code>
      <button type="button" class="go" data-copy="link" data-copied="${texts.copied}">${texts.copyLink}</button>
    </div>
  </section>`
}
