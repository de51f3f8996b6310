#!/usr/bin/env node
// Starts tender-sync: in the package the built program, in a clone the sources, which Node.js runs directly.
import { existsSync } from 'node:fs'

const source = new URL('../src/bin/tender-sync.ts', import.meta.url)
const built = new URL('../dist/bin/tender-sync.js', import.meta.url)
const program = existsSync(source) && process.features.typescript ? source : built

if (existsSync(program)) await import(program.href)
else {
  process.stderr.write(
    `tender-sync: in a clone use the Node.js that npm ci brings (this is ${process.versions.node}): node_modules/.bin/node client/bin/tender-sync.js\n`,
  )
  process.exitCode = 1
}
