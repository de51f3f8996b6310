// The images and actions that come from elsewhere, and the digests to which they are pinned: `node deploy/pins.ts` checks them,
// `node deploy/pins.ts --fill` asks the registries and writes what they answer. Both need a network, and change nothing that
// runs; a digest that nobody looked up is not written.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with the digests, by name with tag; null: not looked up yet. */
export const pinsFile = 'deploy/pins.json'
export type Pins = { readonly [name: string]: string | null }

/** Where names stand, and the pattern that finds them there: the name, then its digest if it has one. */
const uses: { readonly [path: string]: RegExp } = {
  Dockerfile: /(?<=_IMAGE=)([^\s@]+)(?:@(\S+))?()/g,
  'compose.yaml': /(?<=image: )([^\s@]+:[^\s@]+)(?:@(\S+))?()/g,
  '.devcontainer/compose.yml': /(?<=image: )([^\s@]+:[^\s@]+)(?:@(\S+))?()/g,
  '.github/workflows/ci.yml': /(?<=container: )([^\s@]+)(?:@(\S+))?()|(?<=uses: )([^\s@]+@[^\s#]+)(?: # (\S+))?/g,
}

type Use = { readonly path: string; readonly name: string; readonly digest: string | undefined }

/** What the files use. `read` returns the text of a file. */
export const usesIn = (read: (path: string) => string): Use[] =>
  Object.keys(uses).flatMap((path) => [...read(path).matchAll(uses[path]!)].map((match) => useOf(path, match)))

function useOf(path: string, [, image, digest, , action, tag]: RegExpMatchArray): Use {
  if (image !== undefined) return { path, name: image, digest }
  const [repository, version] = action!.split('@') as [string, string]
  return tag === undefined
    ? { path, name: action!, digest: undefined }
    : { path, name: `${repository}@${tag}`, digest: version }
}

const withoutEntry = (pins: Pins, found: readonly Use[]): string[] =>
  found
    .filter(({ name }) => !(name in pins))
    .map(({ path, name }) => `${path} uses ${name}, which has no entry in ${pinsFile}.`)

/** What is wrong between the file and its uses, without a network. */
export function faultsOf(pins: Pins, found: readonly Use[]): string[] {
  const names = new Set(found.map(({ name }) => name))
  return [
    ...withoutEntry(pins, found),
    ...found
      .filter(({ name, digest }) => name in pins && digest !== (pins[name] ?? undefined))
      .map(
        ({ path, name }) => `${path} does not use ${name} with the digest of ${pinsFile}: node deploy/pins.ts --fill`,
      ),
    ...Object.keys(pins)
      .filter((name) => !names.has(name))
      .map((name) => `${pinsFile} names ${name}, which nothing uses.`),
  ]
}

/** The text of a file with the digests of these pins. */
export const pinned = (path: string, text: string, pins: Pins): string =>
  text.replace(uses[path]!, (...args) => {
    const match = args.slice(0, 6) as unknown as RegExpMatchArray
    const { name } = useOf(path, match)
    const digest = pins[name] ?? undefined
    if (digest === undefined) return name
    const [repository, tag] = name.split('@')
    return match[1] === undefined ? `${repository}@${digest} # ${tag}` : `${name}@${digest}`
  })

export type Lookup = { readonly fetch: typeof fetch; readonly listRemote: (url: string, tag: string) => string }

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')

/** The digest that the registry, or for an action its repository, has for a name now. Throws Error without an answer. */
async function digestOf(name: string, { fetch, listRemote }: Lookup): Promise<string> {
  const [repository, tag] = name.split('@')
  const digest =
    tag === undefined ? await digestOfImage(name, fetch) : commitOf(listRemote(`https://github.com/${repository}`, tag))
  if (!/^(?:sha256:[0-9a-f]{64}|[0-9a-f]{40})$/.test(digest)) throw new Error(`${name}: no digest was answered`)
  return digest
}

async function digestOfImage(name: string, ask: typeof fetch): Promise<string> {
  const [, repository, tag] = /^docker\.io\/(\S+):(\S+)$/.exec(name) ?? []
  if (repository === undefined) throw new Error(`${name}: write the name with its registry, docker.io/…`)
  const scope = `service=registry.docker.io&scope=repository:${repository}:pull`
  const granted = await ask(`https://auth.docker.io/token?${scope}`)
  const { token } = (await granted.json()) as { readonly token: string }
  const answer = await ask(`https://registry-1.docker.io/v2/${repository}/manifests/${tag}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${token}`, accept: manifestTypes },
  })
  return answer.headers.get('docker-content-digest') ?? ''
}

/** Of an annotated tag the commit that it names, which is the last line. */
const commitOf = (listed: string): string => listed.trim().split('\n').at(-1)!.split('\t')[0]!

/** Runs the command in a folder; returns the faults, none after `--fill`. */
export async function runPins(root: string, isFill: boolean, lookup: Lookup): Promise<string[]> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const pins = JSON.parse(read(pinsFile)) as Pins
  const found = usesIn(read)
  const lacking = withoutEntry(pins, found)
  if (lacking.length > 0) return lacking
  const now: Record<string, string> = {}
  for (const name of Object.keys(pins)) now[name] = await digestOf(name, lookup)
  if (!isFill)
    return [
      ...faultsOf(pins, found),
      ...Object.keys(pins)
        .filter((name) => pins[name] !== now[name])
        .map(
          (name) =>
            `${name} is ${now[name]}, and ${pins[name] ?? 'nothing'} in ${pinsFile}: node deploy/pins.ts --fill`,
        ),
    ]
  writeFileSync(join(root, pinsFile), `${JSON.stringify(now, null, 2)}\n`)
  for (const path of Object.keys(uses)) writeFileSync(join(root, path), pinned(path, read(path), now))
  return []
}

if (import.meta.main) {
  const listRemote = (url: string, tag: string) =>
    execFileSync('git', ['ls-remote', url, `refs/tags/${tag}`, `refs/tags/${tag}^{}`], { encoding: 'utf8' })
  const root = join(import.meta.dirname, '..')
  const faults = await runPins(root, process.argv.includes('--fill'), { fetch, listRemote })
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
