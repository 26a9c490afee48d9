import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { createSandbox } from '../../src-main/sandbox/sandbox.ts'
import { dayAt } from '../../src-shared/values/day.ts'
import { awkward } from './awkward.ts'

/** The service as the pictures need it: it can be slow, gone, or refuse. A relay stands before the sandbox. */
export type Service = {
  readonly address: string
  readonly token: string
  /** Requests whose path contains this wait, once so many have passed, until `release`. */
  readonly hold: (path: string, passing?: number) => void
  readonly release: () => void
  /** Requests whose path contains this are refused with a status, until `release`. */
  readonly refuse: (path: string, status: number) => void
  /** From now on no more than so many days of a table are answered at once. */
  readonly limitDays: (days: number) => Promise<void>
  readonly unplug: () => Promise<void>
  readonly plugIn: () => Promise<void>
  readonly close: () => Promise<void>
}

type Rule = { readonly path: string; readonly status: number | null; passing: number }

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Starts the sandbox with the relay before it; both end by `close`. */
export async function startService(): Promise<Service> {
  const sandbox = await createSandbox({ seed: 7, today: dayAt(Date.now(), 'UTC') })
  let rules: Rule[] = []
  let waiting: (() => void)[] = []

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const body = await bodyOf(request)
    const rule = rules.find((each) => path.includes(each.path) && each.passing-- <= 0)
    if (rule && rule.status === null) await new Promise<void>((go) => waiting.push(go))
    if (rule?.status) {
      response.writeHead(rule.status, { 'content-type': 'application/json' })
      response.end('{"error":"Not at the moment"}')
      return
    }
    const answer = await fetch(`${sandbox.address}${path}`, {
      method: request.method ?? 'POST',
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      body: new Uint8Array(body),
    })
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
    })
    response.end(awkward(path, await answer.text()))
  }

  const listen = async (port: number): Promise<Server> => {
    const server = createServer((request, response) => {
      relay(request, response).catch(() => response.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await listen(0)
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The relay has no port')
  const { port } = bound

  const release = () => {
    rules = []
    waiting.forEach((go) => go())
    waiting = []
  }
  const unplug = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return {
    address: `http://127.0.0.1:${port}`,
    token: sandbox.tokens.admin,
    hold: (path, passing = 0) => rules.push({ path, status: null, passing }),
    refuse: (path, status) => rules.push({ path, status, passing: 0 }),
    release,
    limitDays: async (days) => {
      await fetch(`${sandbox.controlAddress}/behaviour`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ windows: { tables: days } }),
      })
    },
    unplug,
    plugIn: async () => {
      server = await listen(port)
    },
    close: async () => {
      release()
      if (server.listening) await unplug()
      await sandbox.close()
    },
  }
}
