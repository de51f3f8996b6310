// When which fault was planted, and how often: what an answer is forgiven, and for how long, is read from here.

/** `all`: what everybody uses, such as the database. */
type Planted = { readonly kind: string; readonly target: string; readonly from: number; to: number }

export class FaultLog {
  readonly #planted: Planted[] = []
  readonly counts = new Map<string, number>()

  /** Notes it for as long as `work` runs. */
  async during<Result>(kind: string, target: string, work: () => Promise<Result>): Promise<Result> {
    const planted: Planted = { kind, target, from: Date.now(), to: Number.POSITIVE_INFINITY }
    this.#planted.push(planted)
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    try {
      return await work()
    } finally {
      planted.to = Date.now()
    }
  }

  /** Whether a fault of this target touched the span, or had ended less than `graceMs` before it. */
  touches(target: string, from: number, to: number, graceMs = 0): boolean {
    return this.#planted.some((each) => each.target === target && each.from <= to && each.to + graceMs >= from)
  }

  /** The spans of these kinds, in their order. */
  spansOf(...kinds: readonly string[]): readonly { readonly from: number; readonly to: number }[] {
    return this.#planted.filter(({ kind }) => kinds.includes(kind))
  }
}
