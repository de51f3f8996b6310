// The guides of the repository as pages of the site: found once, read on the first request.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Html } from '../frame/html.ts'
import {
  addressOfGuide,
  type GroupName,
  groupNames,
  groupOf,
  type ListedGuide,
  listedGuides,
  pagesOfFiles,
} from './guide-groups.ts'
import { type Guide, type GuideTexts, readGuide, renderGuide, type Target } from './render-guide.ts'

/** One page of the documentation, whether it comes from a file or from code. */
export type DocPage = {
  readonly address: string
  readonly group: GroupName
  /** Its name in the navigation. */
  readonly title: string
  /** The file that it is made from; absent for pages made by code. */
  readonly file?: string
  /** For a page made by code: the key of its name in both languages. */
  readonly textKey?: 'list' | 'record' | 'errors' | 'fields'
}

export type LibraryOptions = {
  /** The folder of the repository. */
  readonly folder: string
  /** Where clients reach the API. */
  readonly apiAddress: string
  /** Where people reach the console. */
  readonly origin: string
  /** Pages of the console shown among the guides, first in their group. */
  readonly pages: readonly DocPage[]
}

export class Handbook {
  /** In the order of reading. */
  readonly pages: readonly DocPage[]
  /** The folder of the repository. */
  readonly folder: string
  readonly #options: LibraryOptions
  readonly #isRepository: boolean
  readonly #byAddress: ReadonlyMap<string, DocPage>
  readonly #sources = new Map<string, string>()
  readonly #guides = new Map<string, Guide>()
  readonly #rendered = new Map<string, Html>()
  readonly #pictures = new Map<string, Buffer>()

  constructor(options: LibraryOptions) {
    this.#options = options
    this.folder = options.folder
    this.#isRepository = existsSync(join(options.folder, 'package-lock.json'))
    this.pages = groupNames.flatMap((group) => [
      ...options.pages.filter((page) => page.group === group),
      ...this.#guidesOf(group),
    ])
    this.#byAddress = new Map(this.pages.map((page) => [page.address, page]))
    for (const path of filesBelow(options.folder, 'docs', '.svg'))
      this.#pictures.set(`/${path}`, readFileSync(join(options.folder, path)))
  }

  page(address: string): DocPage | undefined {
    return this.#byAddress.get(address)
  }

  /** Addresses of the SVG pictures of the guides. */
  get pictures(): string[] {
    return [...this.#pictures.keys()]
  }

  /** An SVG picture of the guides by its address. */
  picture(address: string): Buffer | undefined {
    return this.#pictures.get(address)
  }

  /** The text of a file of the repository, read once. */
  source(file: string): string {
    let text = this.#sources.get(file)
    if (text === undefined) {
      text = readFileSync(join(this.folder, file), 'utf8')
      this.#sources.set(file, text)
    }
    return text
  }

  /** The guide of a file, read once. */
  guide(file: string): Guide {
    let guide = this.#guides.get(file)
    if (!guide) {
      guide = readGuide(this.source(file))
      this.#guides.set(file, guide)
    }
    return guide
  }

  /** The markup of a file, built once for each language of the frame. */
  render(file: string, texts: GuideTexts): Html {
    const key = `${texts.language} ${file}`
    let rendered = this.#rendered.get(key)
    if (!rendered) {
      rendered = renderGuide(this.guide(file), this.contextOf(file), texts)
      this.#rendered.set(key, rendered)
    }
    return rendered
  }

  /** What a guide needs from the site. */
  contextOf(file: string) {
    return {
      apiAddress: this.#options.apiAddress,
      origin: this.#options.origin,
      targetOf: (to: string) => this.#targetOf(posix.join(posix.dirname(file), decodeURI(to))),
      sizeOf: (address: string) => sizeOf(this.#pictures.get(address)),
    }
  }

  #targetOf(path: string): Target {
    const clean = path.replace(/\/$/, '')
    for (const file of [clean, `${clean}/README.md`]) {
      const own = pagesOfFiles[file]
      if (own !== undefined) return { kind: 'address', address: own }
      const address = addressOfGuide(file)
      if (file.endsWith('.md') && this.#byAddress.get(address)?.file === file) return { kind: 'address', address }
    }
    if (this.#pictures.has(`/${clean}`)) return { kind: 'address', address: `/${clean}` }
    // a missing file leads nowhere, which a test notices; the package holds fewer files than the repository
    return !this.#isRepository || existsSync(join(this.folder, clean))
      ? { kind: 'text' }
      : { kind: 'address', address: `/${clean}` }
  }

  #guidesOf(group: GroupName): DocPage[] {
    const listed = listedGuides[group]
    const everywhere = new Set(Object.values(listedGuides).flatMap((list) => list.map(([file]) => file)))
    const others = filesBelow(this.folder, 'docs', '.md').filter(
      (file) => !everywhere.has(file) && pagesOfFiles[file] === undefined && groupOf(file) === group,
    )
    return [...listed, ...others.map((file): ListedGuide => [file])].map(([file, title]) => ({
      address: addressOfGuide(file),
      group,
      title: title ?? titleOf(join(this.folder, file)),
      file,
    }))
  }
}

/** The heading of a file, without reading the rest as Markdown. */
const titleOf = (path: string): string => (/^# (.*)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '').replaceAll('`', '')

/** Paths relative to `root` with slashes, sorted. */
function filesBelow(root: string, folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(ending))
    .sort()
}

/** Width and height of an SVG picture by its `viewBox`. */
function sizeOf(picture: Buffer | undefined): readonly [number, number] | undefined {
  const found = /viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"/.exec(picture?.subarray(0, 500).toString() ?? '')
  return found ? [Number(found[1]), Number(found[2])] : undefined
}
