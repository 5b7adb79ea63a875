import type { Server, ServerResponse } from 'node:http'
import { type BlockList, isIP, type Socket } from 'node:net'
import { networkOf } from './request-body.ts'
import type { ServerLimits } from './server-limits.ts'

/**
 * Which connections are open, and which one goes where there are too many: one that waits for a request of its client, the oldest of
 * the network with the most. GitHub's sends its request at once, so that it is none for long.
 */
export interface Connections {
  /** A request came in: its connection does not wait until the answer is out. */
  began(response: ServerResponse): void
  /** More of them have a request in hand than may for anything but webhooks. */
  isFull(): boolean
  /** Closes those on which no byte has come. */
  closeUnused(): void
}

interface Connection {
  readonly socket: Socket
  readonly network: string
  /** Those that are not answered yet. */
  requests: number
}

/** @param onRefused told why one was closed, or not taken */
export function limitConnections(
  server: Server,
  limits: Pick<ServerLimits, 'connections' | 'connectionsOfNetwork' | 'connectionsForWebhooks'>,
  trustedProxies: BlockList,
  onRefused: (why: 'network' | 'all') => void,
): Connections {
  const all = new Map<Socket, Connection>()
  let inHand = 0
  // Oldest first, as a Map keeps them.
  const networks = new Map<string, Map<Socket, Connection>>()

  /** False: all of them are being answered. */
  const closeWaiting = (of: Iterable<Connection>): boolean => {
    for (const connection of of) {
      if (connection.requests > 0) continue
      forget(connection)
      connection.socket.destroy()
      return true
    }
    return false
  }
  const forget = ({ socket, network }: Connection) => {
    all.delete(socket)
    const of = networks.get(network)
    of?.delete(socket)
    if (of?.size === 0) networks.delete(network)
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const network = networkOf(address)
    const of = networks.get(network)
    // A proxy has the connections of all its clients.
    const isProxy = trustedProxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
    if (!isProxy && of !== undefined && of.size >= limits.connectionsOfNetwork) {
      onRefused('network')
      if (!closeWaiting(of.values())) {
        socket.destroy()
        return
      }
    }
    if (all.size >= limits.connections) {
      onRefused('all')
      const bySize = [...networks.values()].toSorted((a, b) => b.size - a.size)
      if (!bySize.some((others) => closeWaiting(others.values()))) {
        socket.destroy()
        return
      }
    }
    const connection = { socket, network, requests: 0 }
    all.set(socket, connection)
    networks.set(network, (networks.get(network) ?? new Map<Socket, Connection>()).set(socket, connection))
    socket.on('close', () => forget(connection))
  })

  return {
    began(response) {
      const connection = all.get(response.req.socket)
      if (connection === undefined) return
      if (connection.requests++ === 0) inHand += 1
      response.on('close', () => {
        if (--connection.requests === 0) inHand -= 1
      })
    },
    isFull: () => inHand > limits.connections - limits.connectionsForWebhooks,
    closeUnused() {
      // Browsers open connections ahead of need. Node does not count one as idle before its first request.
      for (const socket of all.keys()) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}
