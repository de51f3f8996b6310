// How a service presents itself on every page: its name, logo and color, and the pages that the law asks for.
import { readFileSync, statSync } from 'node:fs'
import { type Config, usualName } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { type PageRoute, publicPage } from './page.ts'

type Legal = 'imprint' | 'privacy' | 'terms'

export type Brand = {
  readonly name: string
  /** Whether it has a name, logo or color of its own: then no picture of ours stands for it. */
  readonly isOwn: boolean
  /** Of buttons and links, such as `#2c47bb`; absent: ours. */
  readonly color?: string
  /** Paths of the logo and of a sheet with the color; undefined without such a setting. */
  readonly logo?: string
  readonly sheet?: string
  readonly links: readonly (readonly [kind: Legal, address: string])[]
  /** The files at these paths. */
  readonly files: readonly { readonly path: string; readonly type: string; readonly body: string | Uint8Array }[]
}

const maxLogoBytes = 65_536

/** Reads the logo. Throws OperatorError when the file cannot be used. */
export function brandOf({ site = {} }: Pick<Config, 'site'>): Brand {
  const { imprintUrl, privacyUrl, termsUrl, name = usualName, logo, color } = site
  const legal = [['imprint', imprintUrl] as const, ['privacy', privacyUrl] as const, ['terms', termsUrl] as const]
  const files = [
    ...(logo === undefined ? [] : [logoFile(logo)]),
    ...(color === undefined ? [] : [{ path: '/brand.css', type: 'text/css; charset=utf-8', body: sheetOf(color) }]),
  ]
  const pathOf = (ending: RegExp) => files.find(({ path }) => ending.test(path))?.path
  const [logoPath, sheet] = [pathOf(/^\/logo\./), pathOf(/\.css$/)]
  return {
    name,
    isOwn: site.name !== undefined || files.length > 0,
    ...(color !== undefined && { color }),
    ...(logoPath !== undefined && { logo: logoPath }),
    ...(sheet !== undefined && { sheet }),
    links: legal.flatMap(([kind, address]) => (address === undefined ? [] : [[kind, address] as const])),
    files,
  }
}

function logoFile(path: string): Brand['files'][number] {
  const isPng = /\.png$/i.test(path)
  try {
    if (statSync(path).size > maxLogoBytes) throw new Error('it has more than 64 KiB')
    const body = readFileSync(path)
    return isPng ? { path: '/logo.png', type: 'image/png', body } : { path: '/logo.svg', type: 'image/svg+xml', body }
  } catch (error) {
    throw new OperatorError('invalid-setting', `TENDERSTOCK_LOGO cannot be read: ${(error as Error).message}.`)
  }
}

/**
 * The color in the place of ours. On a dark ground a lighter one of the same hue stands for it; the washes are mixed
 * from it.
 */
const sheetOf = (color: string): string => `:root {
  --accent: light-dark(${color}, color-mix(in oklab, ${color} 45%, white));
  --hover: light-dark(color-mix(in oklab, ${color} 85%, black), color-mix(in oklab, ${color} 30%, white));
  --accent-wash: light-dark(color-mix(in oklab, ${color} 8%, white), color-mix(in oklab, ${color} 25%, black));
}
`

/** Files of the brand. */
export const brandFiles = ({ brand }: { readonly brand: Brand }): PageRoute[] =>
  brand.files.map(({ path, type, body }) =>
    publicPage('GET', path, () => ({ kind: 'content', type, body, headers: { 'cache-control': 'max-age=3600' } })),
  )
