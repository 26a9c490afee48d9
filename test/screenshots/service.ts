import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import { dayAt } from '#shared/values/day.ts'
import { awkward } from './awkward.ts'

const DAY = 86_400_000

/** The service as the pictures need it: it can be slow, gone, or refuse. A relay stands before the sandbox. */
export type Service = {
  readonly address: string
  readonly token: string
  /** Requests whose path contains this wait, once so many have passed, until `release`. */
  readonly hold: (path: string, passing?: number) => void
  readonly release: () => void
  /** Requests whose path contains this are refused with a status, until `release`. */
  readonly refuse: (path: string, status: number) => void
  /** Answers at a path are others, until `restore`: what the sandbox says, made into what the window gets. */
  readonly change: (path: string, how: Change) => void
  /** Requests at a path do not reach the sandbox: they are answered so, until `restore`. */
  readonly instead: (path: string, how: Change) => void
  readonly restore: () => void
  /** Switches something in the sandbox (its README: the control server); without a body it is taken back. */
  readonly control: (path: string, body?: unknown) => Promise<void>
  /** Asks for a raw report as another client would. */
  readonly request: (report: Readonly<Record<string, unknown>>) => Promise<void>
  /** From now on no more than so many days of a table are answered at once. */
  readonly limitDays: (days: number) => Promise<void>
  readonly unplug: () => Promise<void>
  readonly plugIn: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Makes one body of another. */
export type Change = (body: Body) => unknown
export type Body = Readonly<Record<string, unknown>>

type Rule = { readonly path: string; readonly status: number | null; passing: number }

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Starts the sandbox with the relay before it; both end by `close`. */
export async function startService(): Promise<Service> {
  // Its clock stands at noon: put on to the time that it is, so that ages are those of what just happened.
  const now = Date.now()
  const today = dayAt(now - DAY / 2, 'UTC')
  const sandbox = await createSandbox({ seed: 7, today })
  let rules: Rule[] = []
  let changes: { readonly path: string; readonly how: Change; readonly instead: boolean }[] = []
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
    const change = changes.find((each) => path.includes(each.path))
    if (change?.instead) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(change.how(JSON.parse(body.toString()) as Body)))
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
    const text = awkward(path, await answer.text())
    response.end(change ? JSON.stringify(change.how(JSON.parse(text) as Body)) : text)
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
  const control = async (path: string, body?: unknown) => {
    const answer = await fetch(`${sandbox.controlAddress}${path}`, {
      method: body === undefined ? 'DELETE' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}: ${await answer.text()}`)
  }
  const request = async (report: Body) => {
    const answer = await fetch(`${sandbox.address}/v1/raw/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: sandbox.tokens.admin, ...report }),
    })
    const { success } = (await answer.json()) as { success?: boolean }
    if (success !== true) throw new Error(`The sandbox refuses a raw report: ${answer.status}`)
  }
  await control('/clock', { advance: now - (Date.parse(today) + DAY / 2) })
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
    restore: () => (changes = []),
    change: (path, how) => changes.push({ path, how, instead: false }),
    instead: (path, how) => changes.push({ path, how, instead: true }),
    control,
    request,
    limitDays: (days) => control('/behaviour', { windows: { tables: days } }),
    unplug,
    plugIn: async () => {
      if (!server.listening) server = await listen(port)
    },
    close: async () => {
      release()
      if (server.listening) await unplug()
      await sandbox.close()
    },
  }
}
