import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { endpoints, endpointPaths } from '#shared/api/endpoints.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { textEncoder, errorBody, finished, bodyReply, isMembers, writeJson, fingerprint } from './encoding.ts'
import { Refusal } from './contracts.ts'
import type { Fault, SandboxHandler, SandboxRequest } from './contracts.ts'
import { startControlServer } from './control/server.ts'
import { clockFrom, createSandboxState } from './control/state.ts'
import type { SandboxState, SandboxClock } from './control/state.ts'
import { closeServer, listenOnLoopback, writeReply } from './control/write-reply.ts'
import { createEvents } from './events/events.ts'
import { lookupHandlers } from './lookup-handlers.ts'
import { startRaw } from './raw/raw.ts'
import { readParameters, readBody } from './request.ts'
import { reportHandlers } from './report-handlers.ts'
import { rightsOf, createTokens, tokensOfThisStart } from './rights.ts'
import type { SandboxTokens } from './rights.ts'

type Answer = { readonly status: number; readonly contentType: string; readonly text: string }

const isEndpoint = (path: string): path is EndpointPath => Object.hasOwn(endpoints, path)

/** Returns the path after `/v1/`. Other paths are returned unchanged and match no endpoint. */
function pathOf(request: IncomingMessage): string {
  const path = (request.url ?? '/').split('?')[0] as string
  return path.startsWith('/v1/') ? path.slice('/v1/'.length) : path
}

function endpointOf(request: IncomingMessage): EndpointPath {
  const path = pathOf(request)
  if (!request.url?.startsWith('/v1/') || !isEndpoint(path))
    throw new Refusal(404, 'There is no such endpoint')
  if (request.method !== 'POST') throw new Refusal(405, 'Endpoints take POST only')
  return path
}

/** The HTTP service: answers requests, with the current behaviour and faults. */
export class Service {
  readonly #handlers: Readonly<Partial<Record<EndpointPath, SandboxHandler>>>
  readonly #tokens: SandboxTokens
  readonly #state: SandboxState

  constructor(
    handlers: Readonly<Partial<Record<EndpointPath, SandboxHandler>>>,
    tokens: SandboxTokens,
    state: SandboxState,
  ) {
    this.#handlers = handlers
    this.#tokens = tokens
    this.#state = state
  }

  /**
   * Answers an endpoint: checks the token, then the parameters, then calls the handler.
   * @param body as sent, with the token
   * @param fault only used if the fault changes the data
   * @throws Refusal for any status other than 200
   */
  async answer(path: EndpointPath, body: Readonly<Record<string, unknown>>, fault?: Fault): Promise<Answer> {
    const handler = this.#handlers[path]
    if (!handler) throw new Refusal(404, 'There is no such endpoint')
    const { clock, tokens } = this.#state
    const behaviour = this.#state.behaviour()
    const rights = rightsOf(body['token'], this.#tokens, tokens, path)
    const [now, today] = [clock.now(), clock.today()]
    const request: SandboxRequest = { path, ...readParameters(path, body), rights, behaviour, now, today }
    const answer = await handler(request)
    const isShortened = fault?.does.kind === 'left-out'
    const data = finished(
      isShortened ? withoutRest(answer, fault.does.left) : answer,
      String(body['token']),
      request,
    )
    const text = writeJson(data, textEncoder(behaviour.spaces, fingerprint(request)))
    return { status: 200, contentType: 'application/json', text }
  }

  /**
   * Listens on loopback.
   * @param port 0 for any free port
   * @returns the address without a trailing slash, and a function that closes the server
   */
  async listen(port: number): Promise<{ address: string; close: () => Promise<void> }> {
    const server = createServer((request, response) => {
      // A failure from here on, such as a disconnected client, only affects this connection.
      this.#serve(request, response).catch(() => response.destroy())
    })
    const address = await listenOnLoopback(server, port)
    return { address, close: () => closeServer(server) }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const state = this.#state
    const fault = state.faults.take(pathOf(request))
    let parameters: Readonly<Record<string, unknown>> = {}
    let answer: Answer
    try {
      const path = endpointOf(request)
      parameters = await readBody(request, state.behaviour().bodies)
      answer = await this.answer(path, parameters, fault)
    } catch (error) {
      if (request.destroyed && !request.complete) return
      answer = refused(error, state)
    }
    // An unread body would precede the connection's next request.
    request.resume()
    const status = fault?.does.kind === 'status' ? fault.does.status : answer.status
    state.requests.add({ path: pathOf(request), status, parameters })
    const { clockSkew } = state.behaviour()
    response.sendDate = clockSkew !== null
    if (clockSkew !== null) response.setHeader('date', new Date(Date.now() + clockSkew).toUTCString())
    if (answer.status === 405) response.setHeader('allow', 'POST')
    const accepts = request.headers['accept-encoding']
    const before = fault?.does.kind === 'text-before' ? fault.does.text : ''
    await writeReply(
      response,
      await bodyReply(answer.status, answer.contentType, before + answer.text, accepts),
      fault,
    )
  }
}

/** Shortens a list's answer to its first entries and counts only these. Other answers are unchanged. */
function withoutRest(answer: unknown, left: number): unknown {
  if (!isMembers(answer) || !isMembers(answer['query'])) return answer
  const shortened = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, left)
    return isMembers(value) && Array.isArray(value['rows'])
      ? { ...value, rows: value['rows'].slice(0, left) }
      : value
  }
  const members = Object.entries(answer).map(([name, value]) => [name, shortened(value)] as const)
  const results = Math.min(left, Number(answer['query']['results']))
  const query = { ...answer['query'], results, pages: Math.min(1, results) }
  return { ...Object.fromEntries(members), query }
}

function refused(error: unknown, state: SandboxState): Answer {
  const { status, message } =
    error instanceof Refusal
      ? error
      : { status: 500, message: `The sandbox itself is at fault: ${String(error)}` }
  return { status, ...errorBody(state.behaviour().errorBodies, status, message) }
}

export type SandboxOptions = {
  /** Any integer. Seed and day determine events, tokens and answers. */
  readonly seed: number
  /** Today in the sandbox. Events end at noon. */
  readonly today: Day
  /** Ports of the service and the control server; 0 for any free port. */
  readonly port?: number
  readonly controlPort?: number
}

export type SampleOptions = Pick<SandboxOptions, 'seed' | 'port'> & {
  /** Start time in milliseconds since 1970. */
  readonly now: number
}

/** A running service. Addresses have no trailing slash. */
type SampleSandbox = {
  readonly address: string
  /** Address of the download server for raw reports. */
  readonly downloadAddress: string
  readonly tokens: SandboxTokens
  readonly close: () => Promise<void>
}

/** A running sandbox with its control server. */
export type Sandbox = SampleSandbox & { readonly controlAddress: string }

/** Returns all 27 handlers. Throws if one is missing, so that a new endpoint is noticed at startup. */
function everyHandler(
  ...parts: readonly ReadonlyMap<string, SandboxHandler>[]
): Record<EndpointPath, SandboxHandler> {
  const all = new Map(parts.flatMap((part) => [...part]))
  const missing = endpointPaths.filter((path) => !all.has(path))
  if (missing.length > 0) throw new RangeError(`The sandbox does not answer ${missing.join(', ')}`)
  return Object.fromEntries(all) as Record<EndpointPath, SandboxHandler>
}

/**
 * Starts a sandbox: the service, its download server and the control server, on loopback.
 * @throws the system's error if a port is in use; everything is closed then
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { state, raw, track, service } = await start(options, createTokens(options.seed))
  try {
    const control = track(await startControlServer({ state, raw, port: options.controlPort ?? 0 }))
    return { ...service, controlAddress: control.address }
  } catch (error) {
    await service.close()
    throw error
  }
}

/**
 * Starts the service and its download server without control, for the sample account. The tokens are new at each start,
 * because other programs on the computer can also reach loopback.
 */
export async function createSample({ seed, now, port }: SampleOptions): Promise<SampleSandbox> {
  const today = dayAt(now, 'UTC')
  const world = {
    ...{ seed, today, ...(port !== undefined && { port }) },
    // Like a real service: requests have the real time, and no event is in the future.
    clock: clockFrom(now, Date.now),
    hoursOver: Math.max(1, new Date(now).getUTCHours()),
    start: randomUUID(),
  }
  return (await start(world, tokensOfThisStart())).service
}

type World = Omit<SandboxOptions, 'controlPort'> & {
  readonly clock?: SandboxClock
  readonly hoursOver?: number
  readonly start?: string
}

async function start({ seed, today, port, clock, hoursOver, start: begun }: World, tokens: SandboxTokens) {
  const events = createEvents(seed, today, hoursOver)
  const state = createSandboxState({ today, ...(clock && { clock }) })
  const opened: { close: () => Promise<void> }[] = []
  const track = <T extends { close: () => Promise<void> }>(part: T): T => {
    opened.push(part)
    return part
  }
  const close = async () => {
    await Promise.all(opened.map((part) => part.close()))
  }
  try {
    const raw = track(
      await startRaw({
        ...{ seed, today, rows: events, instances: events.instances, state },
        ...(begun !== undefined && { start: begun }),
      }),
    )
    const rawHandlers = new Map<string, SandboxHandler>(Object.entries(raw.handlers))
    const handlers = everyHandler(reportHandlers(events), lookupHandlers(events), rawHandlers)
    const service = track(await new Service(handlers, tokens, state).listen(port ?? 0))
    return {
      ...{ state, raw, track },
      service: { address: service.address, downloadAddress: raw.downloads, tokens, close },
    }
  } catch (error) {
    await close()
    throw error
  }
}
