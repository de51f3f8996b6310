// `tenderstock serve`: the API alone.
import { OperatorError } from '../platform/errors.ts'
import { answerUntilStopped, type NodeOptions } from './answering.ts'
import { listenForCommands } from './control-socket.ts'
import { openNode } from './open-node.ts'
import { runOperation } from './operations.ts'
import { serveFromBucket } from './serve-from-bucket.ts'

/** Runs `tenderstock serve`: the API alone, from editions that another process publishes. */
export async function serve(options: NodeOptions): Promise<void> {
  if (options.config.editions) return serveFromBucket(options, options.config.editions)
  await using node = await openNode(options, { hasTrialClock: false, startsAlone: true })
  const { context: base, editions } = node
  const { dataFolder } = base
  const serveNewest = () => node.takeOver()
  const context = { ...base, beforePublish: serveNewest, onPublished: serveNewest }
  const control = await listenForCommands(dataFolder, (request, emitTo) => runOperation(context, request, emitTo))
  if (control) node.defer(control.close)
  if (!node.isAlone) await node.takeOver({ isOlderAccepted: options.isOlderAccepted })
  else if (editions.newest === undefined)
    throw new OperatorError(
      `The database does not answer, and ${dataFolder} holds no edition to serve; start the database first.`,
    )
  await answerUntilStopped(options, node)
}
