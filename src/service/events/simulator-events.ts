// Simulated portals.
import type { Instant } from '../../domain/time.ts'

export type SimulatorEvents = {
  portals: { portals: number }
  simulatedPortal: { source: string; title: string; hosts: readonly string[]; entries: number }
  simulating: {
    base: string
    portals: number
    faults: { readonly [name: string]: unknown }
    isMadeUp: boolean
    seed: string
    now: Instant
    speed: number
    example: string
  }
  simulated: { requests: number; faults: { readonly [name: string]: number } }
}
