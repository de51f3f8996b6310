// A line that somebody copies runs code beside a token. It may ask a public registry only for names that are held
// there: whoever registers a free one would own the machines of all who copied the line.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Names of npm with a checksum in our lock file: each is held by those whose code we run already. */
const lock = JSON.parse(read('package-lock.json')) as { packages: { [path: string]: { integrity?: string } } }
const heldInNpm = new Set(
  Object.entries(lock.packages)
    .filter(([, { integrity }]) => integrity !== undefined)
    .map(([path]) => path.split('node_modules/').at(-1)!),
)
const heldInPyPi = new Set(['dlt', 'pandas', 'polars', 'target-jsonl'])

type Ways = { readonly pattern: RegExp; readonly held: ReadonlySet<string>; readonly isFirstOnly: boolean }

/** Commands that fetch what they name; those that run it take only their first operand from the registry. */
const ways: readonly Ways[] = [
  {
    pattern: /\b(?:npx|bunx|(?:npm|pnpm) (?:exec|x|dlx|init|create)|yarn dlx)((?: +[^\s`|]+)+)/g,
    held: heldInNpm,
    isFirstOnly: true,
  },
  { pattern: /\b(?:npm|pnpm|yarn|bun) (?:install|i|add)((?: +[^\s`|]+)+)/g, held: heldInNpm, isFirstOnly: false },
  { pattern: /\b(?:uvx|pipx run)((?: +[^\s`|]+)+)/g, held: heldInPyPi, isFirstOnly: true },
  { pattern: /\b(?:pip3?|pipx|uv pip) install((?: +[^\s`|]+)+)/g, held: heldInPyPi, isFirstOnly: false },
  { pattern: /\bpip_url:((?: +[^\s`|]+)+)/g, held: heldInPyPi, isFirstOnly: false },
]
const optionsWithName = ['-p', '--package', '--from']
const otherOptions = ['--prefix', '-c', '--call', '-w', '--workspace']

/** What a command asks a registry for; paths, addresses and what the shell or a program fills in are none. */
function namesOf(operands: string, isFirstOnly: boolean): string[] {
  const names: string[] = []
  const words = operands.trim().split(/ +/)
  let isNamed = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    // the end of the command, and a sentence that goes on behind it
    if (/^(?:&&|;|#|--$)/.test(word)) break
    const [option, value] = word.split('=') as [string, string?]
    if (optionsWithName.includes(option)) {
      names.push(value ?? words[++at] ?? '')
      isNamed = true
    } else if (otherOptions.includes(option)) at += value === undefined ? 1 : 0
    else if (!word.startsWith('-')) {
      if (!(isFirstOnly && isNamed)) names.push(word)
      if (isFirstOnly) break
    }
    if (/[);,.'"]$/.test(word) && !/^['"]/.test(word)) break
  }
  return names
    .map((name) => name.replaceAll(/^['"]|[)\]'".,;:]+$/g, ''))
    .filter((name) => !/^(?:\.|\/|~|\$|https?:|file:|git[+:]|\[\^|$)|\.tgz$/.test(name))
    .map((name) => /^(@[^/]+\/)?[^@[=<>~]*/.exec(name)![0])
}

const freeNamesIn = (text: string): string[] =>
  ways.flatMap(({ pattern, held, isFirstOnly }) =>
    [...text.matchAll(pattern)]
      .flatMap(([, operands]) => namesOf(operands!, isFirstOnly))
      .filter((name) => !held.has(name)),
  )

const shown = /(?:\.(?:md|ts|js|mjs|cjs|py|php|cs|ya?ml|json|jsonc|toml|sh|service|html)|Dockerfile|\.ci\/run)$/
const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (path) =>
    shown.test(path) &&
    !/(?:^|\/)(?:node_modules|dist|\.git)\//.test(path) &&
    !/package-lock\.json$|\/data\/|^test\/docs\/registry-names\.test\.ts$/.test(path),
)

describe('names of public registries', () => {
  test('all pages, texts and programs are read', () => {
    expect(pages).toEqual(
      expect.arrayContaining([
        ...['README.md', 'docs/quick-start.md', 'client/README.md', 'examples/webhooks/README.md'],
        ...['client/src/bin/help-text.ts', 'src/console/desk/desk-texts.ts', 'src/bin/tenderstock.cjs', '.ci/run'],
      ]),
    )
  })

  test('no page, text or program names one that nobody here holds', () => {
    const free = pages.flatMap((path) => freeNamesIn(read(path)).map((name) => `${path}: ${name}`))
    expect(free).toEqual([])
  })

  test.each([
    ['npx tender-sync run --sink sqlite:tenders.db', ['tender-sync']],
    ['run `npx --yes tender-sync@latest`', ['tender-sync']],
    ['`npx --package=@tenderstock/client tender-sync run`', ['@tenderstock/client']],
    ['npx -y -p node@24 -p tenderstock tenderstock start', ['tenderstock']],
    ['npm exec --yes -- tender-sync', []],
    ['npm install -g @tenderstock/client pg', ['@tenderstock/client']],
    ['Run `npm i tender-stock`, then', ['tender-stock']],
    ['npm install --omit=dev --prefix /opt/x tenderstock@0.1.0 && npm start', ['tenderstock']],
    ['(npm install hyparquet-writerr). If', ['hyparquet-writerr']],
    ['pip install "tenderstock[pandas]"', ['tenderstock']],
    ['pip_url: tap-tenderstock', ['tap-tenderstock']],
    ['npx ./tenderstock-0.1.0.tgz start', []],
    ['npm install ./tenderstock-client-0.1.0.tgz pg', []],
    ['npx --yes --package=https://api.example.org/tender-sync.tgz tender-sync run', []],
    ['npx vitest run src/publish', []],
    ['npm ci && npm start', []],
    ['node client/bin/tender-sync.js run', []],
  ])('in "%s" they are %j', (line, names) => {
    expect(freeNamesIn(line)).toEqual(names)
  })
})
