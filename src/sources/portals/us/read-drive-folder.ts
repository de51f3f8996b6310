// A file in a folder on Google Drive that a page links: page, folder, confirmation for large files, file.

import { Refused } from '../../../platform/http.ts'
import type { Delivery, Entries } from '../../delivery.ts'
import { inParts } from '../../families/in-parts.ts'
import { pageText, tagsIn } from '../../families/page-text.ts'
import type { Fetch } from '../../fetch.ts'

/** The JSON files of the folder that `page` links. */
export const readDriveFolder = (page: string, entries: Entries): Fetch =>
  inParts(async (context) => {
    const folder = tagsIn(await pageText(context, page), 'a')
      .map((tag) => tag.get('href'))
      .find((href) => href?.startsWith('https://drive.google.com/'))
    if (folder === undefined) throw new Refused(`${page} links no folder`)
    const files = [...(await pageText(context, folder)).matchAll(/<tr\b[^>]*\bdata-id="([\w-]+)"[\s\S]*?<\/tr>/g)]
      .filter(([row]) => row.includes('json'))
      .map(([, id]) => id!)
    if (files.length === 0) throw new Refused(`${folder} shows no JSON file`)
    return files.map((id) => ({
      key: id,
      delivery: async () => fileOf(await pageText(context, downloadOf(id)), id, entries),
    }))
  })

const downloadOf = (id: string): string => `https://drive.google.com/uc?export=download&id=${id}`

/** The file behind the confirmation page for large files. */
function fileOf(question: string, id: string, entries: Entries): Delivery {
  const action = tagsIn(question, 'form')
    .find((tag) => tag.get('id') === 'download-form')
    ?.get('action')
  if (action === undefined) throw new Refused(`Google Drive does not offer the file ${id}`)
  const url = new URL(action)
  for (const input of tagsIn(question, 'input'))
    if (input.has('name')) url.searchParams.set(input.get('name')!, input.get('value') ?? '')
  return { kind: 'single', request: { url: url.href }, entries }
}
