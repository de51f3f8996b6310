// A link that is shown once, for somebody to hand over.
import { type Html, html } from './html.ts'
import type { Language } from './languages.ts'
import { sharedTexts } from './shared-texts.ts'

export function linkCard({ mail, link }: { readonly mail: string; readonly link: string }, language: Language): Html {
  const texts = sharedTexts[language].shared
  return html`<section class="card stack">
    <h2>${texts.handLink}</h2>
    <p class="soft small">${texts.handLinkDetail(mail)}</p>
    <div class="secret">
      <code id="link" tabindex="0">${link}</code>
      <button type="button" class="go" data-copy="link" data-copied="${texts.copied}">${texts.copyLink}</button>
    </div>
  </section>`
}
