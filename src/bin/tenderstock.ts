// The program itself. `tenderstock.cjs` checks the version of Node.js before it loads this.
import { closeOwnFiles } from '#flat/files/own-files'
import { main } from '../cli/main.ts'

closeOwnFiles()

process.exitCode = await main(process.argv.slice(2))
