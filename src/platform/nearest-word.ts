// Finds the known word that was probably meant. Pure.

/** Maximum number of words that are suggested together. */
const mostMeant = 3

/**
 * The known words of which this one is a part (`--port`: `--api-port`, `--console-port` …; `export`: `edition export`),
 * else the nearest one; empty when all are far away.
 */
export function wordsMeant(word: string, known: readonly string[]): readonly string[] {
  const partsOf = (text: string) => text.replace(/^--/, '').split(/[ -]/)
  const wanted = word.replace(/^--/, '')
  const containing = known.filter((each) => partsOf(each).includes(wanted))
  if (containing.length > 0) return containing.slice(0, mostMeant)
  const nearest = nearestWord(word, known)
  return nearest === undefined ? [] : [nearest]
}

/** Returns the known word with the smallest edit distance; undefined when all are far away. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const best = known
    .map((each) => ({ each, distance: each.startsWith(word) && word.length > 3 ? 0 : editDistance(word, each) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return best && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.each : undefined
}

/** Number of edits (insert, delete, replace, swap neighbors) from one short word to another. */
export function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1)
      row.push(best)
    }
    rows.push(row)
  }
  return rows[from.length]![to.length]!
}
