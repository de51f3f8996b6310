// The program itself. `tenderstock.cjs` checks the version of Node.js before it loads this.
import { main } from '../cli/main.ts'

process.exitCode = await main(process.argv.slice(2))
