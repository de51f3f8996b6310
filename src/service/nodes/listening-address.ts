// The addresses and ports that the API, the console and the metrics listen on.
import { type AddressInfo, createServer, isIPv6 } from 'node:net'
import { OperatorError } from '../../platform/errors.ts'

export type ListenAddress = {
  readonly host: string
  /** With 0, a free one is chosen. */
  readonly port: number
}

/** The host by which clients on this machine reach the API. */
export function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

type PortOption = '--api-port' | '--console-port' | '--metrics-port'

export function listenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  option: PortOption = '--api-port',
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        'port-in-use',
        `Port ${port} on ${host} is in use; stop the program that listens there, or choose another with ${option}.`,
        { cause: error },
      )
    case 'EACCES':
      return new OperatorError(
        'port-forbidden',
        `Port ${port} may not be used by this user; choose one above 1023 with ${option}.`,
        {
          cause: error,
        },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new OperatorError(
        'no-address',
        `This machine has no address ${host}; choose another with ${option.replace('port', 'host')}.`,
        { cause: error },
      )
    case 'ENOTSUP':
    case 'EINVAL':
      return new OperatorError(
        'port-not-shared',
        'This system cannot share a port between readers; start with --readers 1.',
        {
          cause: error,
        },
      )
    default:
      return error
  }
}

/** A port that no other program can take; `release` frees it for a listener of this one. */
export type HeldPort = AsyncDisposable & { readonly port: number; readonly release: () => Promise<void> }

/** The port itself, or a free one for 0. Whoever connects before it is released is refused. */
export async function holdPort(host: string, wanted: number, option?: PortOption): Promise<HeldPort> {
  const server = createServer((socket) => socket.destroy()).unref()
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(listenError(error, host, wanted, option)))
    server.listen(wanted, host, done)
  })
  const { port } = server.address() as AddressInfo
  const release = () => new Promise<void>((done) => server.close(() => done()))
  return { port, release, [Symbol.asyncDispose]: release }
}

/**
 * The port itself, or a free one for 0. Readers share a port, so a second service on it would not be noticed: the port
 * is tried without sharing.
 */
export async function findPort(host: string, wanted: number, option?: PortOption): Promise<number> {
  await using held = await holdPort(host, wanted, option)
  return held.port
}
