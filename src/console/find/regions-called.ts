// Regions by the name that people type.
import { codesAbove, codesCalled } from '../../domain/code-labels.ts'

/** The regions with exactly this name, in any of their languages, the largest only: Berlin is one, not three. */
export function regionsCalled(typed: string): string[] {
  const called = codesCalled('nuts', typed)
  return called.filter((code) => !codesAbove('nuts', code).some((above) => called.includes(above)))
}
