#!/usr/bin/env node
// The program. Nothing but the check of Node comes before the rest is loaded, so that an old one gets a clear sentence.
const oldestNode = 24
const major = Number(process.versions.node.split('.')[0])

if (major < oldestNode) {
  console.error(
    `Tenderstock needs Node.js ${oldestNode} or newer and this is ${process.versions.node}; run it as \`npx tenderstock\` or \`npm start\` in its folder, or update Node.js.`,
  )
  process.exitCode = 1
} else {
  const { main } = await import('./main.ts')
  process.exitCode = await main(process.argv.slice(2))
}

// A module of its own, for the await above.
export {}
