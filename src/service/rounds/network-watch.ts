// Distinguishes a machine without a network from portals that do not answer: reports one sentence for all of them, and
// one when it is over.
import type { HttpClient } from '../../platform/http.ts'
import { ForbiddenAddress } from '../../platform/network-rule.ts'
import type { CommandEvent, Emit } from '../events/command-event.ts'

/**
 * Number of hosts in a row that have to be silent, without an answer from any, before the machine is to blame. Hosts
 * that never answered say nothing about it, once another one did.
 */
const silentHosts = 3

export type NetworkWatch = {
  /** Like the client's own `send`, and observed by the watch. */
  readonly send: HttpClient['send']
  /**
   * Reports a failed reading: immediately, after the next answer of any portal, or not at all while no portal is
   * reached.
   */
  readonly emitFailure: (event: CommandEvent) => void
}

/** `hosts`: total number of hosts; with a single one, it is unclear whether it or the machine is cut off. */
export function watchNetwork(
  http: Pick<HttpClient, 'send'>,
  { emit, hosts }: { readonly emit: Emit; readonly hosts: number },
): NetworkWatch {
  const enough = hosts < 2 ? Number.POSITIVE_INFINITY : Math.min(silentHosts, hosts)
  /** Hosts that did not answer since any host did. */
  let silent = new Set<string>()
  let held: CommandEvent[] = []
  let isOffline = false
  /** Hosts that ever answered. */
  const answered = new Set<string>()

  const heard = (host: string) => {
    answered.add(host)
    silent = new Set()
    if (isOffline) emit({ event: 'networkBack', message: 'The portals can be reached again.' })
    isOffline = false
    for (const event of held.splice(0)) emit(event)
  }
  const missed = (host: string, error: unknown) => {
    if (answered.size > 0 && !answered.has(host)) return
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
        heard(new URL(request.url).host)
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
