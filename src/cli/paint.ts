// Colors of text, or none.
import { styleText } from 'node:util'

const styles = ['bold', 'dim', 'green', 'yellow', 'cyan'] as const

/** Each style leaves the text unchanged if there are no colors. */
export type Paint = { readonly [style in (typeof styles)[number]]: (text: string) => string }

export function painter(hasColors: boolean): Paint {
  const paint = (style: (typeof styles)[number]) => (text: string) =>
    hasColors ? styleText(style, text, { validateStream: false }) : text
  return Object.fromEntries(styles.map((style) => [style, paint(style)])) as Paint
}
