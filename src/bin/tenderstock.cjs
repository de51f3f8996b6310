#!/usr/bin/env node
// The program as every Node.js can read it: starts it with one that is new enough, and says to an older one what to do.
'use strict'
// biome-ignore lint/style/useNodejsImportProtocol: older versions do not know node:
const path = require('path')

/** The first number of the oldest version that works. */
const oldest = 24

if (Number.parseInt(process.versions.node, 10) >= oldest) void import('./tenderstock.ts')
else {
  const exitCode = 1
  const message =
    `Tenderstock needs Node.js ${oldest} or newer, and ${process.execPath} is ${process.versions.node}. ` +
    `In ${path.resolve(__dirname, '../..')}, \`npx --yes -p node@${oldest} -- npm start\` brings one and starts with it; ` +
    'for the whole machine take it from https://nodejs.org/en/download.'
  if (process.argv.includes('--json'))
    process.stdout.write(`${JSON.stringify({ event: 'error', time: new Date().toISOString(), message, exitCode })}\n`)
  else process.stderr.write(`${message}\n`)
  process.exitCode = exitCode
}
