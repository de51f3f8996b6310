// Finds the known word that was probably meant. Pure.

/** Returns the known word with the smallest edit distance; undefined when all are far away. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const best = known
    .map((each) => ({ each, distance: each.startsWith(word) && word.length > 3 ? 0 : editDistance(word, each) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return best && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.each : undefined
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
