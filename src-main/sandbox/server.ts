import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { endpoints } from '#shared/api/endpoints.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { textEncoder } from './answer/encode-text.ts'
import { errorBody } from './answer/error-bodies.ts'
import { finished } from './answer/finish.ts'
import { bodyReply, writeJson } from './answer/json-reply.ts'
import type { Handler, SandboxRequest } from './contracts/handler.ts'
import { Refusal } from './contracts/handler.ts'
import { closeServer, listenOnLoopback } from './control/loopback.ts'
import type { SandboxState } from './control/state.ts'
import { writeReply } from './control/write-reply.ts'
import { readParameters } from './request/parameters.ts'
import { readBody } from './request/read-body.ts'
import { fingerprint } from './request/wire-id.ts'
import { rightsOf } from './tokens.ts'
import type { SandboxTokens } from './tokens.ts'

/** What the service's own server is made of. */
export type ServiceParts = {
  readonly handlers: Readonly<Record<EndpointPath, Handler>>
  readonly tokens: SandboxTokens
  readonly state: SandboxState
}

type Answer = { readonly status: number; readonly contentType: string; readonly text: string }

const isEndpoint = (path: string): path is EndpointPath => Object.hasOwn(endpoints, path)

/** The path after `/v1/`; a path outside is returned whole, and is no endpoint. */
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

/**
 * Answers one endpoint: token first, then parameters, then the handler's own checks.
 * @param body as it was sent, with the token
 * @throws Refusal for every status but 200
 */
export async function answered(
  parts: ServiceParts,
  path: EndpointPath,
  body: Readonly<Record<string, unknown>>,
) {
  const { state, tokens, handlers } = parts
  const behaviour = state.behaviour()
  const rights = rightsOf(body['token'], tokens, state.tokens, path)
  const now = state.clock.now()
  const today = state.clock.today()
  const request: SandboxRequest = { path, ...readParameters(path, body), rights, behaviour, now, today }
  const data = finished(await handlers[path](request), String(body['token']), request)
  const text = writeJson(data, textEncoder(behaviour.spaces, fingerprint(request)))
  return { status: 200, contentType: 'application/json', text }
}

function refused(error: unknown, state: SandboxState): Answer {
  const { status, message } =
    error instanceof Refusal
      ? error
      : { status: 500, message: `The sandbox itself is at fault: ${String(error)}` }
  return { status, ...errorBody(state.behaviour().errorBodies, status, message) }
}

async function serve(parts: ServiceParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { state } = parts
  const fault = state.faults.take(pathOf(request))
  let parameters: Readonly<Record<string, unknown>> = {}
  let answer: Answer
  try {
    const path = endpointOf(request)
    parameters = await readBody(request, state.behaviour().bodies)
    answer = await answered(parts, path, parameters)
  } catch (error) {
    if (request.destroyed && !request.complete) return
    answer = refused(error, state)
  }
  // A body that nobody read would otherwise stand before the connection's next request.
  request.resume()
  const status = fault?.does.kind === 'status' ? fault.does.status : answer.status
  state.requests.add({ path: pathOf(request), status, parameters })
  const { clockSkew } = state.behaviour()
  response.sendDate = clockSkew !== null
  if (clockSkew !== null) response.setHeader('date', new Date(Date.now() + clockSkew).toUTCString())
  if (answer.status === 405) response.setHeader('allow', 'POST')
  const accepts = request.headers['accept-encoding']
  await writeReply(response, await bodyReply(answer.status, answer.contentType, answer.text, accepts), fault)
}

/**
 * Starts the service's own server on loopback.
 * @param port 0 for any free one
 * @returns its address, without a slash at the end, and how to close it
 */
export async function startServiceServer(
  parts: ServiceParts,
  port: number,
): Promise<{ address: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    // Whatever fails from here on, such as a client that left, concerns this one connection.
    serve(parts, request, response).catch(() => response.destroy())
  })
  const address = await listenOnLoopback(server, port)
  return { address, close: () => closeServer(server) }
}
