// Tokens of a text as language models count them.
import { Tiktoken } from 'js-tiktoken/lite'
import ranks from 'js-tiktoken/ranks/o200k_base'

let encoder: Tiktoken | undefined

export function countTokens(text: string): number {
  encoder ??= new Tiktoken(ranks)
  return encoder.encode(text, [], []).length
}
