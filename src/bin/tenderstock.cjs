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

if (Number.parseInt(process.versions.node, 10) >= oldest)
  void import(isClone ? './tenderstock.ts' : '../../dist/bin/tenderstock.js')
else {
  const exitCode = 1
  const way = isClone
    ? `In ${path.resolve(__dirname, '../..')}, \`npx --yes -p node@${oldest} -- npm start\``
    : `\`npx --yes -p node@${oldest} -- node ${__filename} start\``
  const message =
    `Tenderstock needs Node.js ${oldest} or newer, and ${process.execPath} is ${process.versions.node}. ` +
    `${way} brings one and starts with it; for the whole machine take it from https://nodejs.org/en/download.`
  if (process.argv.includes('--json'))
    process.stdout.write(`${JSON.stringify({ event: 'error', time: new Date().toISOString(), message, exitCode })}\n`)
  else process.stderr.write(`${message}\n`)
  process.exitCode = exitCode
}
