// Calls a listener of the caller without letting its faults into our work.

/**
 * Makes the listener safe to call: what it throws surfaces as an uncaught error of the program, and never looks like a
 * fault of the network or of a target, which would cause a wait and a retry.
 */
export function listenerOf<Event>(on: ((event: Event) => void) | undefined): (event: Event) => void {
  return (event) => {
    try {
      on?.(event)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
