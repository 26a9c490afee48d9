import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { closeServer, listenOnLoopback } from './loopback.ts'
import { controlRoutes } from './routes.ts'
import type { RawControl, Route } from './routes.ts'
import type { SandboxState } from './state.ts'

/** A control request that cannot be done, in words. */
class BadInput extends Error {
  readonly status: 400 | 404
  constructor(words: string, status: 400 | 404 = 400) {
    super(words)
    this.status = status
  }
}

/**
 * The control server: JSON over HTTP on loopback, by which tests switch behaviours and faults. Bad input is a 400 whose
 * `error` says what is wrong, and changes nothing.
 * @param options.port 0 for any free one
 * @returns its address, without a slash at the end, and how to close it
 */
export async function startControlServer(options: {
  state: SandboxState
  raw: RawControl
  port?: number
}): Promise<{ address: string; close: () => Promise<void> }> {
  const routes = controlRoutes(options.state, options.raw)
  const server = createServer((request, response) => {
    void answer(routes, request).then(
      (data) => write(response, 200, data),
      (error: unknown) => write(response, ...refused(error)),
    )
  })
  const address = await listenOnLoopback(server, options.port ?? 0)
  return { address, close: () => closeServer(server) }
}

async function answer(routes: ReadonlyMap<string, Route>, request: IncomingMessage): Promise<unknown> {
  const path = new URL(request.url ?? '/', 'http://sandbox').pathname
  const route = routes.get(`${request.method} ${path}`)
  if (!route) {
    const known = [...routes.keys()].join(', ')
    throw new BadInput(`Nothing here: ${request.method} ${path}. There is: ${known}`, 404)
  }
  return route(request.method === 'POST' ? await jsonBody(request) : undefined)
}

async function jsonBody(request: IncomingMessage): Promise<unknown> {
  // A web page cannot send this type to another origin unasked, so no page can switch a sandbox behind one's back.
  if (!request.headers['content-type']?.startsWith('application/json')) {
    throw new BadInput('Send the content type application/json')
  }
  const body = parsed(await text(request))
  // To a schema of objects a list is an object too.
  if (Array.isArray(body)) throw new BadInput('The body is a list, not an object')
  return body
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new BadInput('The body is not JSON')
  }
}

function refused(error: unknown): [status: number, data: unknown] {
  if (error instanceof BadInput) return [error.status, { error: error.message }]
  if (error instanceof v.ValiError) return [400, { error: issueWords(error.issues) }]
  return [500, { error: String(error) }]
}

function issueWords(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues
    .map((issue) => {
      const where = v.getDotPath(issue)
      return where === null ? issue.message : `${where}: ${issue.message}`
    })
    .join('; ')
}

function write(response: ServerResponse, status: number, data: unknown) {
  const body = Buffer.from(JSON.stringify(data))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(body.length) })
  response.end(body)
}
