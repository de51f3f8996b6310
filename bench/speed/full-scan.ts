// Runs as a separate process: the cost of checking every record. A plain loop over typed arrays as long as the stock,
// of the widths that the edition log has. Prints CPU milliseconds of one pass by the number of columns that it reads.
// Run: node bench/speed/full-scan.ts RECORDS
import { randomOf } from '../../test/testing/generate/random.ts'
import { median } from './row.ts'

const count = Number(process.argv[2])
const random = randomOf(5)
const superseded = new Uint32Array(count).fill(0xffffffff)
const published = new Float64Array(count)
const deadline = new Float64Array(count)
const value = new Float64Array(count)
const procedure = new Uint8Array(count)
const cpv = new Uint32Array(count)
const nuts = new Uint32Array(count)
for (let row = 0; row < count; row++) {
  published[row] = 1.6e12 + random.next() * 1e11
  deadline[row] = published[row]! + random.next() * 1e10
  value[row] = random.next() * 1e7
  procedure[row] = random.integer(0, 9)
  cpv[row] = random.integer(0, 9454)
  nuts[row] = random.integer(0, 2000)
}

/** The last filter fails everywhere, the others nowhere: the loop reads all columns of all rows. */
const passes: { readonly [columns: string]: () => number } = {
  '1': () => {
    let found = 0
    for (let row = 0; row < count; row++) if (superseded[row]! > 1 && value[row]! >= 1e11) found++
    return found
  },
  '2': () => {
    let found = 0
    for (let row = 0; row < count; row++) if (superseded[row]! > 1 && nuts[row]! <= 5000 && value[row]! >= 1e11) found++
    return found
  },
  '6': () => {
    let found = 0
    for (let row = 0; row < count; row++)
      if (
        superseded[row]! > 1 &&
        cpv[row]! <= 10_000 &&
        nuts[row]! <= 5000 &&
        procedure[row]! < 20 &&
        published[row]! > 1 &&
        deadline[row]! > 1 &&
        value[row]! >= 1e11
      )
        found++
    return found
  },
}
const milliseconds: { [columns: string]: number } = {}
for (const [columns, pass] of Object.entries(passes)) {
  const rounds: number[] = []
  for (let round = 0; round < 12; round++) {
    const before = process.cpuUsage()
    if (pass() !== 0) throw new Error('a match where none is')
    const { user, system } = process.cpuUsage(before)
    rounds.push((user + system) / 1000)
  }
  milliseconds[columns] = median(rounds.slice(2))
}
console.log(JSON.stringify(milliseconds))
