// A mistake that is written into our own source while a process loads it, to see that a proof finds it.

/** `from` is replaced by `to` in the source. */
export type PlantedEdit = {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
}

/** The arguments of `node --import` that load the source with the mistake. */
export function plantingHook({ file, from, to }: PlantedEdit): string {
  const hook = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context)
        if (!url.endsWith(${JSON.stringify(`/${file}`)})) return loaded
        const text = Buffer.from(loaded.source).toString()
        const changed = text.replace(${JSON.stringify(from)}, () => ${JSON.stringify(to)})
        if (changed === text) throw new Error('the mistake does not fit')
        return { ...loaded, source: changed }
      },
    })`
  return `data:text/javascript,${encodeURIComponent(hook)}`
}
