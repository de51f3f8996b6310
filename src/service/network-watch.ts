// Tells a machine without a network from portals that do not answer: one sentence for all of them, and one when it is
// over.
import type { HttpClient } from '../platform/http.ts'
import { ForbiddenAddress } from '../platform/network-rule.ts'
import type { CommandEvent, Emit } from './command-event.ts'

/** How many hosts in a row have to be silent, none answering, before the machine is to blame. */
const silentHosts = 3

export type NetworkWatch = {
  /** Like the client's own, and heard of by the watch. */
  readonly send: HttpClient['send']
  /**
   * Reports a reading that failed: at once, after the next answer of anyone, or not at all while no portal is reached.
   */
  readonly emitFailure: (event: CommandEvent) => void
}

/** `hosts`: how many hosts there are in all; with a single one, nobody can say whether it or the machine is cut off. */
export function watchNetwork(
  http: Pick<HttpClient, 'send'>,
  { emit, hosts }: { readonly emit: Emit; readonly hosts: number },
): NetworkWatch {
  const enough = hosts < 2 ? Number.POSITIVE_INFINITY : Math.min(silentHosts, hosts)
  /** Hosts that did not answer since anyone did. */
  let silent = new Set<string>()
  let held: CommandEvent[] = []
  let isOffline = false

  const heard = () => {
    silent = new Set()
    if (isOffline) emit({ event: 'networkBack', message: 'The portals can be reached again.' })
    isOffline = false
    for (const event of held.splice(0)) emit(event)
  }
  const missed = (host: string, error: unknown) => {
    silent.add(host)
    if (isOffline || silent.size < enough) return
    isOffline = true
    held = []
    const why = error instanceof Error ? ` (${error.message})` : ''
    emit({
      event: 'warning',
      message: `This machine reaches no portal${why}: check its network, name resolution and firewall. Retries are automatic.`,
    })
  }
  return {
    send: async (request) => {
      try {
        const answer = await http.send(request)
        heard()
        return answer
      } catch (error) {
        if (!request.signal?.aborted && !(error instanceof ForbiddenAddress)) missed(new URL(request.url).host, error)
        throw error
      }
    },
    emitFailure: (event) => {
      if (isOffline) return
      if (silent.size === 0 || enough === Number.POSITIVE_INFINITY) emit(event)
      else held.push(event)
    },
  }
}
