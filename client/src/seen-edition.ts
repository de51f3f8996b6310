/** The newest edition that answers came from: whatever an older one says may be out of date, or missing. */
export type SeenEdition = { edition?: number }

export function seeEdition(seen: SeenEdition, edition: number | undefined): void {
  if (edition !== undefined) seen.edition = Math.max(edition, seen.edition ?? 0)
}
