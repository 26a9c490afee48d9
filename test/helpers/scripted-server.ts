import http from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

/** A request that a scripted server received, body and all. */
export type ReceivedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Answers one request as a test wants it. */
export type Script = (request: ReceivedRequest, response: ServerResponse) => void

export type ScriptedServer = {
  /** `http://127.0.0.1:port`, or https with a certificate. */
  readonly address: string
  readonly port: number
  readonly requests: readonly ReceivedRequest[]
  /** How many connections were made in all. */
  readonly connections: () => number
  /** Answers from now on by this script. */
  readonly answer: (script: Script) => void
  readonly close: () => Promise<void>
}

export type Certificate = { readonly key: string; readonly cert: string }

const chosen = (script: Script): Script => script

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** Answers with JSON and status 200. */
export const json =
  (value: unknown): Script =>
  (_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }

/** Answers with a status, a body and headers. */
export const plain =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Script =>
  (_, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }

/** Answers by the scripts in turn, and by the last of them from then on. */
export const inTurn = (...scripts: readonly Script[]): Script => {
  let next = 0
  return (request, response) => {
    const script = scripts[Math.min(next, scripts.length - 1)]
    next += 1
    script?.(request, response)
  }
}

/** A server on loopback, on any free port, that answers as its script says. */
export async function scriptedServer(script: Script, certificate?: Certificate): Promise<ScriptedServer> {
  let current = chosen(script)
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const listener: RequestListener = (request, response) => {
    // The real time is of no concern where tests have clocks of their own.
    response.sendDate = false
    bodyOf(request).then(
      (body) => {
        const received = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body,
        }
        requests.push(received)
        current(received, response)
      },
      () => response.destroy(),
    )
  }
  const server = certificate ? https.createServer(certificate, listener) : http.createServer(listener)
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    answer: (next) => {
      current = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
