// Where the program that a thread or a process runs is: TypeScript in a clone, JavaScript in the packed package.

/**
 * The file to start for a module of ours. Node.js strips no types below `node_modules`, so the package holds compiled
 * files.
 */
export function runnable(module: URL): URL {
  return import.meta.url.endsWith('.ts') ? module : new URL(module.href.replace(/\.ts$/, '.js'))
}
