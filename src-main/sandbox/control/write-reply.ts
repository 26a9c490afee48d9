import type { Server, ServerResponse } from 'node:http'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { Turn, Fault } from '../contracts.ts'

/**
 * Starts a server on 127.0.0.1 only.
 * @param port 0 for any free port
 * @returns the address, such as `http://127.0.0.1:40123`
 * @throws the system's error if the port is in use
 */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The server is bound to no port')
  return `http://127.0.0.1:${bound.port}`
}

/** Stops listening and closes open connections, which would keep the process alive. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
}

/** Creates the phases of the limited token. */
export function createTurns() {
  let current: readonly Turn[] = []
  let place = 0
  let requests = 0
  let isSeen = false
  return {
    /** Returns the instances that the next request sees; null without phases. A new list restarts the phases. */
    next: (turns: readonly Turn[], path: EndpointPath): readonly InstanceId[] | null => {
      if (turns !== current) [current, place, requests, isSeen] = [turns, 0, 0, false]
      const turn = turns[place]
      if (turn && turns[place + 1] && (isSeen || turn.unseen) && requests >= turn.requests)
        [place, requests, isSeen] = [place + 1, 0, false]
      requests += 1
      isSeen ||= path === 'interface/instances'
      return turns[place]?.instances ?? null
    },
  }
}

/** A reply to write; `body` as transferred, compressed or not. */
export type SandboxReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Page of a gateway, or of a server that is not the service. */
const PAGE = Buffer.from(
  '<!doctype html><html><head><title>Trouble</title></head><body><h1>Trouble</h1><p>Try again.</p></body></html>',
)
const BROKEN_JSON = Buffer.from('{"total":{"nonsuspect":12,,"suspect":3},"table":{"headers":["Browser"')

/** Writes a reply, changed by a fault. Resolves when the reply is written or the client has disconnected. */
export async function writeReply(response: ServerResponse, whole: SandboxReply, fault: Fault | undefined) {
  const reply = spoiled(whole, fault)
  const does = fault?.does
  if (does?.kind === 'delay' && !(await waited(response, does.milliseconds))) return
  if (does?.kind === 'cut') return cutOff(response, reply, does.after)
  if (does?.kind === 'drip') return drip(response, reply, does.bytes, does.everyMilliseconds)
  if (does?.kind === 'reset') response.socket?.resetAndDestroy()
  else await send(response, reply)
}

/** Returns the reply with the changes of a fault. */
function spoiled(reply: SandboxReply, fault: Fault | undefined): SandboxReply {
  const does = fault?.does
  switch (does?.kind) {
    case 'status':
      return trouble(does.status, does.retryAfter)
    case 'html':
      return page(200)
    case 'malformed':
      return { status: 200, headers: json, body: BROKEN_JSON }
    case 'redirect':
      // With 307, a client would send the same body again, including the token. Clients must not follow.
      return { status: 307, headers: { location: does.to }, body: Buffer.alloc(0) }
    case 'wrong-length':
      // Complete for HTTP, but not the whole file. Only size and format show it.
      return { ...reply, body: reply.body.subarray(0, Math.floor(reply.body.length * 0.75)) }
    case 'nothing':
      return { ...reply, body: Buffer.alloc(0) }
    case 'text-before':
    // The answer's text already contains this fault (src-main/sandbox/sandbox.ts).
    case 'left-out':
    case 'delay':
    case 'cut':
    case 'drip':
    case 'reset':
    case undefined:
      return reply
  }
}

/** Returns the status that the client receives; 0 if none. */
export const writtenStatus = (reply: SandboxReply, fault: Fault | undefined): number =>
  fault?.does.kind === 'reset' ? 0 : spoiled(reply, fault).status

function page(status: number): SandboxReply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: PAGE }
}

/** Gateways answer in HTML, the service in JSON. */
function trouble(status: number, retryAfter: string | null): SandboxReply {
  const words = Buffer.from(JSON.stringify({ error: `The sandbox was told to answer ${status}` }))
  const answer = status > 500 ? page(status) : { ...page(status), headers: json, body: words }
  const retry = retryAfter === null ? {} : { 'retry-after': retryAfter }
  return { ...answer, headers: { ...answer.headers, ...retry } }
}

const json = { 'content-type': 'application/json' }

function head(response: ServerResponse, { status, headers, body }: SandboxReply) {
  const framing = 'transfer-encoding' in headers ? {} : { 'content-length': String(body.length) }
  response.writeHead(status, { ...headers, ...framing })
}

function send(response: ServerResponse, reply: SandboxReply): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    response.once('close', resolve)
    head(response, reply)
    response.end(reply.body)
  })
}

/** Closes the connection after this share of the body. */
function cutOff(response: ServerResponse, reply: SandboxReply, share: number): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    response.once('close', resolve)
    head(response, reply)
    response.flushHeaders()
    response.write(reply.body.subarray(0, Math.floor(reply.body.length * share)), () => response.destroy())
  })
}

async function drip(response: ServerResponse, reply: SandboxReply, bytes: number, every: number) {
  if (response.destroyed) return
  head(response, reply)
  response.flushHeaders()
  for (let offset = 0; offset < reply.body.length; offset += bytes) {
    if (!(await waited(response, every))) return
    response.write(reply.body.subarray(offset, offset + bytes))
  }
  response.end()
}

/** Waits in real time. Resolves with false if the client disconnects. */
function waited(response: ServerResponse, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      response.off('close', done)
      resolve(!response.destroyed)
    }
    const timer = setTimeout(done, milliseconds)
    response.once('close', done)
  })
}
