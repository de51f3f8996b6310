// The signals that stop a command.

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process immediately. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}
