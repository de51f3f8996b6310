// How much of a long proof runs: a share in CI, the full count with `npm run proof -- NAME`.

/** `full` with `npm run proof`, else `share`: counts of kills, failovers, runs, or minutes. */
export function proofCount({ share, full }: { readonly share: number; readonly full: number }): number {
  return process.env['PROOF'] === 'full' ? full : share
}
