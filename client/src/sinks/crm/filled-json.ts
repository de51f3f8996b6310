// Fills a JSON template of a mapping: "{name}" alone becomes the value, within a text its words; "...": "{name}"
// spreads it.
import type { Json } from './http-mapping.ts'

export function filledJson(template: Json, values: { readonly [name: string]: unknown }): unknown {
  if (typeof template === 'string') {
    const whole = /^\{(\w+)\}$/.exec(template)?.[1]
    if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole]
    return template.replace(/\{(\w+)\}/g, (text, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : text,
    )
  }
  if (Array.isArray(template)) return template.map((each: Json) => filledJson(each, values))
  if (typeof template !== 'object' || template === null) return template
  const filled: { [name: string]: unknown } = {}
  for (const [name, member] of Object.entries(template)) {
    const value = filledJson(member, values)
    if (name === '...') Object.assign(filled, value)
    else filled[name] = value
  }
  return filled
}
