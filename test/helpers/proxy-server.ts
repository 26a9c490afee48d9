import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificate } from './scripted-server.ts'

/** An HTTP proxy on loopback that connects every CONNECT to one place, whatever it names. */
export type ProxyServer = {
  readonly port: number
  /** The places that were asked for, such as `reports.example:443`. */
  readonly asked: readonly string[]
  /** Every byte that went through it from a client. */
  readonly seen: () => string
  readonly close: () => Promise<void>
}

export type ProxyOptions = {
  /** A status with which every CONNECT is refused. */
  readonly refusal?: number | undefined
  /** With one, clients speak TLS to the proxy itself. */
  readonly certificate?: Certificate | undefined
}

/** @param target the port on loopback to which every CONNECT leads */
export async function proxyServer(target: number, options: ProxyOptions = {}): Promise<ProxyServer> {
  const { refusal, certificate } = options
  const asked: string[] = []
  const sockets = new Set<Socket>()
  let seen = ''
  const refuse: http.RequestListener = (_, response) => response.writeHead(405).end()
  const server = certificate ? https.createServer(certificate, refuse) : http.createServer(refuse)
  const hold = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  }
  server.on('connection', hold)
  server.on('connect', (request: http.IncomingMessage, client: Socket) => {
    hold(client)
    asked.push(request.url ?? '')
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`)
      return
    }
    const upstream = net.connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.on('data', (bytes: Buffer) => (seen += bytes.toString('latin1')))
      client.pipe(upstream).pipe(client)
    })
    hold(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    seen: () => seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
