// An index of files or notices is a list in one answer whose details are the files.
import type { Delivery, List } from '../delivery.ts'
import type { Following } from './details.ts'
import type { WalkOptions } from './walk-list.ts'

type Index = Delivery & { readonly kind: 'index' }

export function indexList(
  index: Index,
): List & Pick<WalkOptions, 'isSingle' | 'notFound'> & { readonly detail?: Following } {
  const { entries, files, url, version, only } = index
  const following: Following | undefined = files && {
    request: { url: '{id}' },
    id: url ?? (entries.format === 'html' ? '/0' : ''),
    entries: files,
    ...(version !== undefined && { version }),
    ...(only && { only }),
    ...(version === undefined && { isConditional: true }),
  }
  return {
    request: index.index,
    entries,
    isSingle: true,
    ...(index.where && { where: index.where }),
    ...(index.each && { each: index.each }),
    ...(index.token && { token: index.token }),
    ...(index.fault && { fault: index.fault }),
    ...(index.notFound && { notFound: index.notFound }),
    ...(following && { detail: following }),
  }
}
