// The embedded engine's file system with real fsync. The one it ships has none: a power cut destroys the database
// (upstream issue #1107). Depends on internals of @electric-sql/pglite 0.5.16, hence the exact version and
// durability.db.test.ts.
import fs from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { othersBits } from '#flat/files/own-files'
import { syncFile } from '../../platform/folders.ts'

type Node = { readonly name: string }
type Stream = { readonly nfd?: number | null; readonly node: Node }
type Write = (stream: Stream, buffer: Uint8Array, offset: number, length: number, position?: number) => number
type SetAttributes<Of> = (of: Of, attributes: { mode?: number | null }) => void
type NodeFsInternals = {
  readonly node_ops: { setattr: SetAttributes<Node> }
  readonly stream_ops: { write: Write; fsync?: (stream: Stream) => number; setattr: SetAttributes<Stream> }
  readonly realPath: (node: Node) => string
}
type InitOptions = Parameters<NodeFS['init']>[1]

/** errno of the engine's C library (WASI) for an input/output error. */
const ioError = 29
const walSegmentName = /^[0-9A-F]{24}$/

/** Counts its calls, and remembers a failed fsync: after one, the engine cannot be trusted. */
export class SyncNodeFS extends NodeFS {
  syncs = 0
  walBytes = 0
  failure: unknown

  override async init(pglite: PGlite, options: InitOptions): ReturnType<NodeFS['init']> {
    const made = await super.init(pglite, options)
    made.emscriptenOpts.preRun!.push((module: unknown) => {
      const internals = (module as { NODEFS?: NodeFsInternals }).NODEFS
      if (internals === undefined) throw new Error('the engine has no NODEFS to add fsync to')
      this.#addSync(internals)
      closeFiles(internals)
    })
    return made
  }

  #addSync(internals: NodeFsInternals): void {
    const write = internals.stream_ops.write
    internals.stream_ops.write = (stream, buffer, offset, length, position) => {
      const bytes = write(stream, buffer, offset, length, position)
      if (walSegmentName.test(stream.node.name)) this.walBytes += bytes
      return bytes
    }
    internals.stream_ops.fsync = (stream) => {
      try {
        if (stream.nfd !== undefined && stream.nfd !== null) fs.fsyncSync(stream.nfd)
        else syncFolder(internals.realPath(stream.node))
        this.syncs += 1
        return 0
      } catch (error) {
        this.failure = error
        return ioError
      }
    }
  }
}

/**
 * The engine knows no umask: it sets the rights of each file that it creates, most of them to 0666. Only their owner
 * gets any here.
 */
function closeFiles({ node_ops: nodes, stream_ops: streams }: NodeFsInternals): void {
  const closing =
    <Of>(set: SetAttributes<Of>): SetAttributes<Of> =>
    (of, attributes) =>
      set(of, typeof attributes.mode === 'number' ? { ...attributes, mode: attributes.mode & ~othersBits } : attributes)
  nodes.setattr = closing(nodes.setattr)
  streams.setattr = closing(streams.setattr)
}

/**
 * Makes the entries of a folder durable (a directory has no stream of its own in the engine). Windows has no such call.
 */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Makes a folder durable with everything in it. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await fs.promises.readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await syncTree(path)
    else if (entry.isFile()) await syncFile(path)
  }
  syncFolder(folder)
}
