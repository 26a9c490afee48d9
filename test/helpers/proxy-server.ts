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
  /** The Proxy-Authorization of each of them; null where none was sent. */
  readonly told: readonly (string | null)[]
  /** From now on it lets through who sends this; null for everybody. */
  readonly demand: (basic: string | null) => void
  /** Every byte that went through it from a client. */
  readonly seen: () => string
  readonly close: () => Promise<void>
}

export type ProxyOptions = {
  /** A status with which every CONNECT is refused. */
  readonly refusal?: number | undefined
  /** `name:password` without which it answers 407. */
  readonly basic?: string | undefined
  /** Where it listens; anywhere unless given. */
  readonly port?: number | undefined
  /** What it asks for with a 407. */
  readonly challenges?: readonly string[] | undefined
  /** With one, clients speak TLS to the proxy itself. */
  readonly certificate?: Certificate | undefined
}

/** @param target the port on loopback to which every CONNECT leads */
export async function proxyServer(target: number, options: ProxyOptions = {}): Promise<ProxyServer> {
  const { refusal, certificate, challenges = ['Basic realm="the network"'] } = options
  let wanted = options.basic ?? null
  const asked: string[] = []
  const told: (string | null)[] = []
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
    const authorization = request.headers['proxy-authorization'] ?? null
    told.push(authorization)
    const known = wanted === null || authorization === basicHeader(wanted)
    if (refusal !== undefined || !known) {
      const asks = challenges.map((each) => `Proxy-Authenticate: ${each}\r\n`).join('')
      client.end(`HTTP/1.1 ${refusal ?? 407} Refused\r\n${asks}Content-Length: 0\r\n\r\n`)
      return
    }
    const upstream = net.connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.on('data', (bytes: Buffer) => (seen += bytes.toString('latin1')))
      client.pipe(upstream).pipe(client)
    })
    hold(upstream)
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    told,
    demand: (basic) => {
      wanted = basic
    },
    seen: () => seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** What is sent for `name:password`. */
export const basicHeader = (basic: string): string => `Basic ${Buffer.from(basic).toString('base64')}`
