// What a shell offers after Tab: a script for bash, zsh or fish, generated from the command table. Pure.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the scripts hold the parameters of shells.
import {
  type CommandName,
  commandNames,
  commands,
  type Operands,
  type OptionSpec,
  type shells,
} from './command-table.ts'

export type Shell = (typeof shells)[number]

/** Commands of the everyday help; the others work, but are not looked for. */
const shown: readonly CommandName[] = commandNames.filter((name) => !commands[name].hidden)
const groups: readonly string[] = [...new Set(shown.filter((name) => name.includes(' ')).map((name) => headOf(name)))]
const firstWords: readonly string[] = [...new Set(shown.map(headOf)), 'help']

const optionsOf = (name: CommandName) => Object.entries(commands[name].options).filter(([, option]) => !option.hidden)
const secondWords = (group: string) =>
  shown.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1))

/** `redact` is a command and also begins others. */
const isCommand = (group: string) => shown.some((name) => name === group)

function headOf(name: string): string {
  return name.split(' ')[0]!
}

/** Returns one line about a first word. */
function summaryOf(word: string): string {
  if (word === 'help') return 'Show the help of a command.'
  const name = shown.find((each) => each === word)
  return name === undefined ? `Commands: ${secondWords(word).join(', ')}.` : commands[name].summary
}

/** Returns the script that a shell reads once. */
export function completionScript(shell: Shell): string {
  const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]
  return script().join('\n')
}

const inQuotes = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

function bashScript(): string[] {
  const valuesOf = ({ completes, choices }: OptionSpec | Operands): string => {
    if (choices) return `_tenderstock_words ${inQuotes(choices.join(' '))}`
    return `_tenderstock_${completes === 'file' ? 'files' : completes === 'folder' ? 'folders' : 'nothing'}`
  }
  return [
    '# Completion of tenderstock for bash: source <(tenderstock completion bash)',
    '_tenderstock_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }',
    '_tenderstock_files() { compopt -o filenames 2>/dev/null; local IFS=$\'\\n\'; COMPREPLY=($(compgen -f -- "$current")); }',
    '_tenderstock_folders() { compopt -o filenames 2>/dev/null; local IFS=$\'\\n\'; COMPREPLY=($(compgen -d -- "$current")); }',
    '_tenderstock_nothing() { COMPREPLY=(); }',
    '_tenderstock() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} from=2 index option= distance=0 options= value=: operand=: list=',
    '  COMPREPLY=()',
    // bash makes a separate word of the sign in --option=value
    '  local at=$COMP_CWORD',
    '  if [ "$current" = = ]; then current=; fi',
    '  if [ "$at" -le 1 ]; then',
    `    _tenderstock_words ${inQuotes([...firstWords, '--help', '--version'].join(' '))}`,
    '    return',
    '  fi',
    `  if [ "$command" = help ]; then command=\${COMP_WORDS[2]}; from=3; if [ "$at" -eq 2 ]; then ` +
      `_tenderstock_words ${inQuotes(firstWords.join(' '))}; return; fi; fi`,
    '  case "$command" in',
    ...groups.map(
      (group) =>
        `    ${group}) if [ "$at" -eq "$from" ` +
        `]${isCommand(group) ? ' && [ "${current#-}" = "$current" ]' : ''}; then _tenderstock_words ` +
        `${inQuotes(`${secondWords(group).join(' ')} --help`)}; return; fi; case "\${COMP_WORDS[$from]}" in ` +
        `-*) ;; *) command="$command \${COMP_WORDS[$from]}" ;; esac ;;`,
    ),
    '  esac',
    '  if [ "${COMP_WORDS[1]}" = help ]; then return; fi',
    '  index=$((at - 1))',
    '  while [ "$index" -ge 2 ]; do',
    '    case "${COMP_WORDS[$index]}" in',
    '      =) ;;',
    '      --?*) option=${COMP_WORDS[$index]}; break ;;',
    '      *) distance=$((distance + 1)) ;;',
    '    esac',
    '    index=$((index - 1))',
    '  done',
    '  case "$command" in',
    ...shown.flatMap((name) => {
      const { operands } = commands[name]
      return [
        `    ${inQuotes(name)})`,
        `      options=${inQuotes(
          optionsOf(name)
            .map(([option]) => `--${option}`)
            .join(' '),
        )}`,
        ...(operands ? [`      operand=${inQuotes(valuesOf(operands))}`] : []),
        '      case "$option" in',
        ...optionsOf(name).map(([option, spec]) =>
          spec.type === 'flag'
            ? `        --${option}) option= ;;`
            : `        --${option}) value=${inQuotes(valuesOf(spec))}${spec.type === 'paths' ? ' list=yes' : ''} ;;`,
        ),
        '        *) option= ;;',
        '      esac ;;',
      ]
    }),
    '  esac',
    '  if [ -n "$option" ] && { [ "$distance" -eq 0 ] || [ -n "$list" ]; } && [ "${current#-}" = "$current" ]; then',
    '    eval "$value"',
    '  elif [ "${current#-}" != "$current" ]; then',
    '    _tenderstock_words "$options"',
    '  else',
    '    eval "$operand"',
    '    if [ "${#COMPREPLY[@]}" -eq 0 ] && [ -z "$current" ]; then _tenderstock_words "$options"; fi',
    '  fi',
    '}',
    'complete -F _tenderstock tenderstock',
  ]
}

function zshScript(): string[] {
  const plain = (text: string) => text.replace(/[[\]\\:]/g, String.raw`\$&`)
  const valuesOf = ({ completes, choices }: OptionSpec | Operands): string => {
    if (choices) return `(${choices.join(' ')})`
    return completes === 'file' ? '_files' : completes === 'folder' ? '_directories' : ' '
  }
  const described = (words: readonly (readonly [word: string, text: string])[]) =>
    words.map(([word, text]) => `      ${inQuotes(`${plain(word)}:${text}`)}`)
  const argument = ([name, option]: readonly [string, OptionSpec]): string => {
    const head = `--${name}[${plain(option.help)}]`
    if (option.type === 'flag') return head
    const value = `${plain(option.value ?? '')}:${valuesOf(option)}`
    // a list continues until the next option
    return option.type === 'paths' ? `*${head}:*-*:${value}` : `${head}:${value}`
  }
  return [
    '#compdef tenderstock',
    '# Completion of tenderstock for zsh: in a folder of $fpath as _tenderstock, or source <(tenderstock completion zsh)',
    '_tenderstock() {',
    '  local -a candidates',
    '  local command=$words[2]',
    '  if (( CURRENT == 2 )); then',
    '    candidates=(',
    ...described(firstWords.map((word) => [word, summaryOf(word)])),
    "      '--version:Show the version.'",
    "      '--help:Show the help.'",
    '    )',
    "    _describe 'command' candidates",
    '    return',
    '  fi',
    '  if [[ $command == help ]]; then',
    `    if (( CURRENT == 3 )); then compadd ${firstWords.join(' ')}; return; fi`,
    '    shift words; (( CURRENT-- )); command=$words[2]',
    '    local isHelp=yes',
    '  fi',
    '  case $command in',
    ...groups.flatMap((group) => [
      `    ${group})`,
      '      if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then',
      '        candidates=(',
      ...described(secondWords(group).map((word) => [word, commands[`${group} ${word}` as CommandName].summary])),
      '        )',
      "        _describe 'command' candidates",
      '        return',
      '      fi',
      '      if [[ $words[3] != -* ]]; then shift words; (( CURRENT-- )); command="$command $words[2]"; fi ;;',
    ]),
    '  esac',
    '  if [[ -n $isHelp ]]; then return; fi',
    '  shift words; (( CURRENT-- ))',
    '  case $command in',
    ...shown.flatMap((name) => {
      const { operands } = commands[name]
      const rest = operands ? [`*:${plain(operands.name)}:${valuesOf(operands)}`] : []
      return [
        `    ${inQuotes(name)})`,
        `      _arguments ${[...optionsOf(name).map(argument), ...rest].map(inQuotes).join(' ')} ;;`,
      ]
    }),
    '  esac',
    '}',
    'if [[ $funcstack[1] == _tenderstock ]]; then _tenderstock "$@"; else compdef _tenderstock tenderstock; fi',
  ]
}

function fishScript(): string[] {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, String.raw`\$&`)}'`
  const valuesOf = ({ completes, choices }: OptionSpec | Operands): string => {
    if (choices) return ` -x -a ${quoted(choices.join(' '))}`
    if (completes === 'file') return ' -r -F'
    return completes === 'folder' ? " -x -a '(__fish_complete_directories)'" : ' -x'
  }
  const at = (name: string) => {
    const others = secondWords(name).map((word) => `; and not __tenderstock_at ${name} ${word}`)
    return `-n ${quoted(`__tenderstock_at ${name}${others.join('')}`)}`
  }
  return [
    '# Completion of tenderstock for fish: tenderstock completion fish | source',
    '# True when the words before the cursor begin with these, options left aside.',
    'function __tenderstock_at',
    '  set -l before (commandline -opc)',
    '  for index in (seq (count $argv))',
    '    set -l place (math $index + 1)',
    '    test "$before[$place]" = "$argv[$index]"; or return 1',
    '  end',
    'end',
    '# True when the words before the cursor are these and no more.',
    'function __tenderstock_after',
    '  set -l before (commandline -opc)',
    '  test (count $before) -eq (math (count $argv) + 1); and __tenderstock_at $argv',
    'end',
    '# True when the last option before the cursor is this list, which goes on until the next option.',
    'function __tenderstock_in_list',
    "  set -l given (string match -- '--*' (commandline -opc))",
    '  test "$given[-1]" = "--$argv[1]"',
    'end',
    'complete -c tenderstock -f',
    "complete -c tenderstock -n '__tenderstock_after' -l version -d 'Show the version.'",
    "complete -c tenderstock -n '__tenderstock_after' -l help -d 'Show the help.'",
    ...firstWords.map(
      (word) => `complete -c tenderstock -n '__tenderstock_after' -a ${word} -d ${quoted(summaryOf(word))}`,
    ),
    `complete -c tenderstock -n '__tenderstock_after help' -a ${quoted(firstWords.filter((word) => word !== 'help').join(' '))}`,
    ...groups.flatMap((group) =>
      secondWords(group).flatMap((word) =>
        [group, `help ${group}`].map(
          (place) =>
            `complete -c tenderstock -n '__tenderstock_after ${place}' -a ${word} -d ${quoted(commands[`${group} ${word}` as CommandName].summary)}`,
        ),
      ),
    ),
    ...shown.flatMap((name) => {
      const { operands } = commands[name]
      return [
        ...optionsOf(name).map(
          ([option, spec]) =>
            `complete -c tenderstock ${at(name)} -l ${option}${spec.type === 'flag' ? '' : valuesOf(spec)} -d ${quoted(spec.help)}`,
        ),
        ...optionsOf(name).flatMap(([option, { type, completes }]) =>
          type === 'paths' && completes === 'file'
            ? [`complete -c tenderstock -n '__tenderstock_at ${name}; and __tenderstock_in_list ${option}' -F`]
            : [],
        ),
        ...(operands?.completes === 'file' ? [`complete -c tenderstock ${at(name)} -F`] : []),
        ...(operands?.choices ? [`complete -c tenderstock ${at(name)} -a ${quoted(operands.choices.join(' '))}`] : []),
      ]
    }),
  ]
}
