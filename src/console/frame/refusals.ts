// What a command says when it refuses, in the reader's language.
import { lineOf } from '../../domain/lines.ts'
import type { OperatorError } from '../../platform/errors.ts'
import { type Html, html } from './html.ts'
import type { Language } from './languages.ts'
import { quoted } from './parts.ts'
import { refusalTexts } from './refusal-texts.ts'

/** A message without a code is English. */
export const refusalText = (
  { refusal, message }: Pick<OperatorError, 'refusal' | 'message'>,
  language: Language,
): string | Html => (refusal ? lineOf(refusalTexts[language], refusal) : html`${quoted(message, 'en')}`)
