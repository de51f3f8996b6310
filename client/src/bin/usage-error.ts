// Wrong use of the command line: exit code 2, shown as one sentence.

/** The message says what is wrong and what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** ` Did you mean …?` for the nearest known word, or nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = known
    .map((each) => ({ each, distance: each.startsWith(word) && word.length > 2 ? 0 : editDistance(word, each) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return nearest && nearest.distance <= Math.max(2, Math.floor(word.length / 3)) ? ` Did you mean ${nearest.each}?` : ''
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
