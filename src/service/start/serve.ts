// `tenderstock serve`: the API alone.
import { OperatorError } from '../../platform/errors.ts'
import { listenForCommands } from '../control/control-socket.ts'
import { answerUntilStopped, type NodeOptions } from '../nodes/answering.ts'
import { openNode } from '../nodes/open-node.ts'
import { serveFromBucket } from '../nodes/serve-from-bucket.ts'
import { runOperation } from '../operations/operations.ts'

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
      'nothing-to-serve',
      `The database does not answer, and ${dataFolder} holds no edition to serve; start the database first.`,
    )
  await answerUntilStopped(options, node)
}
