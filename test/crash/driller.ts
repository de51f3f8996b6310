// Drills once, without a stock to tell, until it is killed. Run by src/service/operations/drill.system.test.ts.
import { writeSync } from 'node:fs'
import { drill } from '../../src/service/operations/drill.ts'

const [dataFolder, shelf, scratch] = process.argv.slice(2) as [string, string, string]
process.exitCode = await drill(
  { dataFolder, version: 'test', tellStock: async () => 0 },
  { command: 'drill', operands: [shelf], options: { scratch } },
  (event) => void writeSync(1, `${JSON.stringify(event)}\n`),
)
