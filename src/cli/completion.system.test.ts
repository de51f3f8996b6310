// The scripts of `tenderstock completion`, executed by the shells themselves.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the scripts hold the parameters of shells.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandNames, commands, shells } from './command-table.ts'
import { completionScript, type Shell } from './completion.ts'

const program = join(import.meta.dirname, '../bin/tenderstock.ts')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenderstock-completion-'))
  for (const shell of shells)
    writeFileSync(
      join(folder, `script.${shell}`),
      execFileSync(process.execPath, [program, 'completion', shell], { encoding: 'utf8' }),
    )
  mkdirSync(join(folder, 'work', 'notices'), { recursive: true })
  writeFileSync(join(folder, 'work', 'day one.zip'), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (program: string, args: readonly string[]): string[] =>
  execFileSync(program, args, { encoding: 'utf8', cwd: join(folder, 'work'), env: { ...process.env, HOME: folder } })
    .split('\n')
    .map((line) => line.trimEnd())
    .filter(Boolean)

/** Returns what each shell offers for a line with the cursor at its end. */
const offers: { readonly [shell in Shell]: (line: string) => string[] } = {
  // `compopt` works only while a person presses Tab
  bash: (line) =>
    run('bash', [
      '--norc',
      '-c',
      'source "$1"; compopt() { :; }; read -ra COMP_WORDS <<<"$2"; case "$2" in *" ") COMP_WORDS+=("");; ' +
        'esac; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=$2; COMP_POINT=${#2}; _tenderstock ' +
        'tenderstock; printf "%s\\n" "${COMPREPLY[@]}"',
      'bash',
      join(folder, 'script.bash'),
      line,
    ]),
  fish: (line) =>
    run('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', join(folder, 'script.fish'), line]).map(
      (offer) => offer.split('\t')[0]!,
    ),
  zsh: (line) => {
    writeFileSync(join(folder, 'ask.zsh'), askZsh)
    return run('zsh', ['-f', join(folder, 'ask.zsh'), join(folder, 'script.zsh'), line])
  },
}

/** Runs an interactive zsh in its own terminal, presses Tab there, and prints every match that it would show. */
const askZsh = `
zmodload zsh/zpty
zpty z zsh -f -i
() {
  zpty -w z "source $1"
  repeat 20; do
    zpty -r z line
    [[ $line == *ready-now* ]] && return
  done
  exit 2
} =( <<< '
PROMPT=
autoload -Uz compinit
compinit -u -d $HOME/.zcompdump
source '$1'
bindkey "^M" undefined
bindkey "^J" undefined
bindkey "^I" complete-word
zstyle ":completion:*" insert-tab false
compprefuncs=()
comppostfuncs=( exit )
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
    builtin compadd "$@"
    return
  fi
  typeset -a found
  builtin compadd -A found "$@"
  for each in $found; do print -r -- "offer:$each"; done
  builtin compadd "$@"
}
print ready-now
')
zpty -w z "$2"$'\\t'
while zpty -r z line; do
  line=\${line//$'\\r'/}
  [[ $line == *offer:* ]] && print -r -- "\${\${line##*offer:}%%$'\\n'*}"
done
exit 0
`

describe.each(shells)('completion in %s', (shell) => {
  const offered = (line: string) => new Set(offers[shell](line))

  test('offers commands, including those of two words', () => {
    const first = offered('tenderstock ')
    for (const word of new Set(commandNames.map((name) => name.split(' ')[0]!)))
      expect(first.has(word), word).toBe(word !== 'clock')
    expect(first).toContain('help')
    expect(offered('tenderstock token r')).toEqual(new Set(['revoke', 'rotate']))
  })

  test('offers options of the command, and of no other', () => {
    const options = offered('tenderstock publish --')
    expect(options).toContain('--override-gate')
    expect(options).toContain('--help')
    expect(options).not.toContain('--api-port')
    expect(offered('tenderstock token create Acme --exp')).toEqual(new Set(['--expires-in-days']))
    // no completion of help is offered twice
    expect(offered('tenderstock help token r')).toEqual(new Set(['revoke', 'rotate']))
    expect(offered('tenderstock help publish --')).toEqual(new Set())
  })

  test('offers choices of an option and of an argument', () => {
    expect(offered('tenderstock start --log-level ')).toEqual(new Set(commands.start.options['log-level']?.choices))
    expect(offered('tenderstock organization update Acme --access o')).toEqual(new Set(['on', 'off']))
    expect(offered('tenderstock completion ')).toEqual(new Set(['bash', 'zsh', 'fish']))
  })

  test('offers paths where a path belongs, and nothing where a name does', () => {
    const names = (line: string) => [...offered(line)].map((name) => name.replaceAll('\\', '').replace(/\/$/, ''))
    expect(names('tenderstock ingest ')).toEqual(expect.arrayContaining(['day one.zip', 'notices']))
    expect(names('tenderstock start --ingest notices da')).toEqual(['day one.zip'])
    // an option without a value takes none of what follows
    expect(names('tenderstock ingest --json da')).toEqual(['day one.zip'])
    expect(names('tenderstock status --data ')).toEqual(['notices'])
    expect(names('tenderstock token create --name ')).toEqual([])
  })
})

test('the scripts name every command and option that the help shows', () => {
  for (const shell of shells) {
    const script = completionScript(shell)
    for (const name of commandNames) {
      const spec = commands[name]
      if (spec.hidden) continue
      expect(script, `${shell}: ${name}`).toContain(name)
      for (const [option, { hidden }] of Object.entries(spec.options))
        expect(script.includes(shell === 'fish' ? `-l ${option}` : `--${option}`) || hidden, option).toBe(true)
    }
  }
})
