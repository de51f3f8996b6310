// P4: one millisecond per changed record.

/**
 * The first of the milliseconds s … s+n-1 that `changes` records use: above everything published before, and otherwise
 * never ahead of the clock. `before` is the lastModified of the newest edition; undefined before the first.
 */
export function firstStamp(before: number | undefined, changes: number, now: number): number {
  return Math.max((before ?? Number.NEGATIVE_INFINITY) + 1, now - changes)
}
