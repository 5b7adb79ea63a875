import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A ClickHouse server at a fixed address that can be cut off and come back. */
export class Switchable {
  readonly #target: URL
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  isOn = false

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((socket) => {
      if (!this.isOn) {
        socket.destroy()
        return
      }
      const upstream = connect(Number(this.#target.port), this.#target.hostname)
      for (const end of [socket, upstream]) {
        this.#sockets.add(end)
        end.on('error', () => undefined)
        end.on('close', () => this.#sockets.delete(end))
      }
      socket.pipe(upstream).pipe(socket)
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
  }

  off(): void {
    this.isOn = false
    for (const socket of this.#sockets) socket.destroy()
  }

  close(): void {
    this.off()
    this.#server.close()
  }
}
