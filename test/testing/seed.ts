// The seed of everything that a test draws at random.

/**
 * A new one for each process, which the tests print. `SEED=N` repeats the draws: a plan of kills, a history, a sample.
 * `.ci/run` derives it from the commit, so that a commit has the same draws wherever it is tested.
 */
export const seed = Number(process.env['SEED'] || Math.floor(Math.random() * 2 ** 20))
