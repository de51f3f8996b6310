// Where the program of a thread or a process is: TypeScript in a clone, JavaScript in the packed package.

/**
 * Returns the file to start for one of our modules. Node.js does not strip types below `node_modules`, so the package
 * holds compiled files.
 */
export function runnable(module: URL): URL {
  return import.meta.url.endsWith('.ts') ? module : new URL(module.href.replace(/\.ts$/, '.js'))
}
