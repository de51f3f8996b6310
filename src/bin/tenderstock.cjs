#!/usr/bin/env node
// The program as every Node.js can read it: starts with a version that is new enough, and tells the user of an older
// one what to do. In a clone it starts the sources, in the packed package the compiled files.
'use strict'
// biome-ignore lint/style/useNodejsImportProtocol: older versions do not know node:
const fs = require('fs')
// biome-ignore lint/style/useNodejsImportProtocol: older versions do not know node:
const path = require('path')

/** Major version of the oldest version that works. */
const oldest = 24
const isClone = fs.existsSync(path.join(__dirname, 'tenderstock.ts'))

/** The command that was typed, which works in the same folder: by npm, or with this file. */
function typed() {
  const args = process.argv.slice(2)
  const script = process.env.npm_lifecycle_event
  if (isClone && process.cwd() === path.resolve(__dirname, '../..')) {
    if (script === 'start') return ['npm', 'start', '--'].concat(args.slice(1))
    if (script === 'tenderstock') return ['npm', 'run', 'tenderstock', '--'].concat(args)
  }
  return ['node', __filename].concat(args)
}

/** A word as a shell needs it. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`
}

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  // Without it a clone would compile its sources at each start. Threads and child processes read the variable.
  if (isClone) {
    if (process.env.NODE_COMPILE_CACHE === undefined)
      process.env.NODE_COMPILE_CACHE = path.resolve(__dirname, '../../node_modules/.cache/tenderstock')
    // biome-ignore lint/style/useNodejsImportProtocol: older versions do not know node:
    require('module').enableCompileCache()
  }
  void import(isClone ? './tenderstock.ts' : '../../dist/bin/tenderstock.js')
} else {
  const exitCode = 1
  const code = 'node-too-old'
  const message =
    `Tenderstock needs Node.js ${oldest} or newer, and ${process.execPath} is ${process.versions.node}. ` +
    `\`npx --yes -p node@${oldest} -- ${typed().map(quoted).join(' ')}\` brings one and does what you typed; ` +
    'for the whole machine take it from https://nodejs.org/en/download.'
  if (process.argv.includes('--json'))
    process.stdout.write(
      `${JSON.stringify({ event: 'error', time: new Date().toISOString(), code, message, exitCode })}\n`,
    )
  else process.stderr.write(`${message} [${code}]\n`)
  process.exitCode = exitCode
}
