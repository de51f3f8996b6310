// Mistakes that are written into the index while a process loads it: the comparison with the plain loop must find each.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type PlantedEdit, plantingHook } from '../planted-edit.ts'
import { proofDraw } from '../proof/proof-count.ts'

const file = 'src/hits/search-index.ts'
const planted: readonly PlantedEdit[] = [
  {
    name: 'codes of lots are forgotten',
    file,
    from: 'for (const code of lot.cpvCodes) markAll(cpvAtoms(code))',
    to: '',
  },
  {
    name: 'texts of lots are forgotten',
    file,
    from: 'readLotText(lot.description, record)',
    to: '',
  },
  {
    name: 'the zeros of a division are stripped',
    file,
    from: 'for (let digits = 2; digits <= 8; digits++)',
    to: 'for (let digits = 1; digits <= 8; digits++)',
  },
  {
    name: 'a search is filed under what it excludes',
    file,
    from: 'new Set(program.clauses[anchor]!)',
    to: 'new Set(program.excluded.length > 0 ? program.excluded : program.clauses[anchor])',
  },
  {
    name: 'what tokens hold is remembered over a rebuild',
    file,
    from: 'openTokenTable((token) => atomsOfToken(token, atoms.spellings))',
    to: '(globalThis.kept ??= openTokenTable((token) => atomsOfToken(token, atoms.spellings)))',
  },
  {
    name: 'the end of a word needs one letter more',
    file,
    from: 'let length = affixLength; length < token.length',
    to: 'let length = affixLength + 1; length < token.length',
  },
  {
    name: 'a search is found once for each of its atoms',
    file,
    from: 'if (foundIn[~filed] === round) return',
    to: '',
  },
  {
    name: 'the second atom need not occur',
    file,
    from: 'marks[groups[group]!] !== round',
    to: 'false',
  },
  {
    name: 'a search is filed under one of its second atoms',
    file,
    from: 'new Set(others.shift())',
    to: 'new Set(others.shift()!.slice(0, 1))',
  },
  {
    name: 'a search with a condition is taken for one without',
    file,
    from: 'condition < 0 && body.length === 3',
    to: 'body.length === 3',
  },
  {
    name: 'archived tenders match',
    file,
    from: 'if (record.archiveReason !== undefined) return found',
    to: '',
  },
  {
    name: 'what is excluded is not looked at',
    file,
    from: 'if (marks[words[at]!] === round) return false',
    to: '',
  },
]
const program = fileURLToPath(new URL('./compare-matching.ts', import.meta.url))

async function differences(...options: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program])
  return JSON.parse(stdout) as readonly string[]
}

test('the index gives the hits of the plain loop, also after it is rebuilt', async () => {
  expect(await differences()).toEqual([])
})

test.each(proofDraw(planted, 2).map((edit) => [edit.name, edit] as const))(
  'the planted mistake is found: %s',
  async (name, edit) => {
    const found = await differences('--import', plantingHook(edit))
    console.log(`planted: ${name}: ${found[0] ?? 'not found'}`)
    expect(found).not.toEqual([])
  },
)
