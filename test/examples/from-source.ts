// For `node --import`: examples import the client by its name, and get its sources in place of a built package.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const client = new URL('../../client/', import.meta.url)
const { name, exports } = JSON.parse(readFileSync(new URL('package.json', client), 'utf8')) as {
  name: string
  exports: { [entry: string]: { import: { default: string } } | string }
}

/** The source of an entry of the package; undefined for everything else. */
function sourceOf(specifier: string): string | undefined {
  if (specifier !== name && !specifier.startsWith(`${name}/`)) return undefined
  const wanted = `.${specifier.slice(name.length)}`
  for (const [entry, target] of Object.entries(exports)) {
    const [start, end] = entry.split('*') as [string, string?]
    const isIt = end === undefined ? wanted === entry : wanted.startsWith(start) && wanted.endsWith(end)
    if (!isIt || typeof target === 'string') continue
    const path = target.import.default.replace('*', wanted.slice(start.length))
    return new URL(path.replace('./dist/', 'src/').replace(/\.js$/, '.ts'), client).href
  }
  return undefined
}

registerHooks({
  resolve(specifier, context, next) {
    const url = sourceOf(specifier)
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
  },
})
