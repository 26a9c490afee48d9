import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { day } from '#shared/values/schemas.ts'
import { behaviourChange, clockChange, faultSchema, instanceSchema } from '../contracts.ts'
import type { Behaviour } from '../contracts.ts'
import { switchedTokens } from './state.ts'
import type { SandboxState } from './state.ts'
import { closeServer, listenOnLoopback } from './write-reply.ts'

export type BehaviourChange = v.InferOutput<typeof behaviourChange>

const token = v.picklist(switchedTokens)

const tokenChange = v.union(
  [
    v.strictObject({ revoke: token }),
    v.strictObject({ restore: token }),
    v.strictObject({ limit: v.array(instanceSchema) }),
  ],
  'Expected {"revoke": …} or {"restore": …} with "admin" or "limited", or {"limit": [ids of instances]}',
)

const rawChange = v.strictObject({ next: v.picklist(['fail', 'time-out']) })

const restatement = v.strictObject({ days: v.array(day) })

/** Applies a change to the behaviour. */
function changed(behaviour: Behaviour, change: BehaviourChange): Behaviour {
  const given = withoutUndefined(change)
  return {
    ...behaviour,
    ...given,
    windows: { ...behaviour.windows, ...withoutUndefined(change.windows ?? {}) },
    raw: { ...behaviour.raw, ...withoutUndefined(change.raw ?? {}) },
  }
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(value: T): Given<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Given<T>
}

/** Control over raw reports. */
export type RawControl = {
  /** Sets the outcome of the next requested report. */
  readonly endNext: (outcome: 'failed' | 'timed_out') => void
  /** All reports for `GET /state`, oldest first. */
  readonly summary: () => readonly { readonly id: string; readonly status: string }[]
}

/** Answers a control request with JSON data. Throws `v.ValiError` if the input is invalid. */
type Route = (body: unknown) => unknown

/** Routes of the control server, by method and path. No response contains a token. */
function controlRoutes(state: SandboxState, raw: RawControl): ReadonlyMap<string, Route> {
  const describe = () => ({
    now: state.clock.now(),
    today: state.clock.today(),
    behaviour: state.behaviour(),
    faults: state.faults.waiting(),
    tokens: {
      admin: word(state.tokens.isRevoked('admin')),
      limited: word(state.tokens.isRevoked('limited')),
    },
    requests: state.requests.list().length,
    raw: raw.summary(),
  })
  /** Changes the state and responds with the new state. */
  const change =
    <S extends v.GenericSchema>(schema: S, apply: (input: v.InferOutput<S>) => void): Route =>
    (body) => {
      apply(v.parse(schema, body))
      return describe()
    }
  return new Map<string, Route>([
    ['GET /state', describe],
    ['POST /behaviour', change(behaviourChange, (input) => state.behave(changed(state.behaviour(), input)))],
    ['POST /faults', change(faultSchema, state.faults.add)],
    ['DELETE /faults', () => (state.faults.clear(), describe())],
    ['POST /clock', change(clockChange, (input) => state.clock.advance(input.advance))],
    [
      'POST /tokens',
      change(tokenChange, (input) => {
        if ('limit' in input) state.tokens.limit(input.limit)
        else if ('revoke' in input) state.tokens.revoke(input.revoke)
        else state.tokens.restore(input.restore)
      }),
    ],
    ['POST /raw', change(rawChange, ({ next }) => raw.endNext(next === 'fail' ? 'failed' : 'timed_out'))],
    [
      'POST /days/restate',
      change(restatement, ({ days }) => {
        const restated = [...new Set([...state.behaviour().restated, ...days])].sort()
        state.behave({ ...state.behaviour(), restated })
      }),
    ],
    ['GET /requests', () => ({ requests: state.requests.list() })],
    ['DELETE /requests', () => (state.requests.clear(), describe())],
  ])
}

const word = (revoked: boolean) => (revoked ? 'revoked' : 'valid')

/** An invalid control request, with the reason. */
class BadInput extends Error {
  readonly status: 400 | 404
  constructor(words: string, status: 400 | 404 = 400) {
    super(words)
    this.status = status
  }
}

/**
 * Starts the control server: JSON over HTTP on loopback, for tests to set behaviour and faults. Invalid input changes
 * nothing and gets a 400 whose `error` is the reason.
 * @param options.port 0 for any free port
 * @returns the address without a trailing slash, and a function that closes the server
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
  // Web pages cannot send this type to another origin without a preflight, so that no page can control a sandbox.
  if (!request.headers['content-type']?.startsWith('application/json')) {
    throw new BadInput('Send the content type application/json')
  }
  const body = parsed(await text(request))
  // An object schema would accept an array.
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
