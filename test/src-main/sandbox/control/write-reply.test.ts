import { createServer, request as ask } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { expect, it, afterEach, describe } from 'vitest'
import type { Fault } from '#main/sandbox/contracts.ts'
import {
  createTurns,
  closeServer,
  listenOnLoopback,
  writeReply,
  writtenStatus,
} from '#main/sandbox/control/write-reply.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { InstanceId } from '#shared/values/ids.ts'

const ids = (...texts: string[]) => texts as InstanceId[]

it('a turn lasts for its requests, and until the list of instances was asked for in it', () => {
  const turns = createTurns()
  const taken = [
    { requests: 1, instances: ids('1') },
    { requests: 3, instances: ids('2') },
    { requests: 1, instances: ids('3') },
  ]
  const ask = (path: EndpointPath) => turns.next(taken, path)
  const [table, list] = ['script/devices', 'interface/instances'] as const
  const asked = [table, table, list, list, table, table, table, list, table, list, table]
  expect(asked.map(ask)).toEqual(['1', '1', '1', '2', '2', '2', '3', '3', '3', '3', '3'].map((id) => [id]))
  // One that nobody looks at ends all the same where it may.
  const passing = [
    { requests: 1, instances: ids('1'), unseen: true },
    { requests: 2, instances: ids('2'), unseen: true },
    { requests: 1, instances: ids('3') },
  ]
  const more = [table, table, table, table, list]
  expect(more.map((path) => turns.next(passing, path))).toEqual(['1', '2', '2', '3', '3'].map((id) => [id]))
  // Others begin with their first; none are none.
  expect(turns.next(taken.slice(1), table)).toEqual(['2'])
  expect(turns.next([], table)).toBeNull()
})

const body = Buffer.from(JSON.stringify({ text: 'é 中'.repeat(200) }))
const reply = { status: 200, headers: { 'content-type': 'application/json' }, body }

/** What came over the wire; `whole` where HTTP found nothing missing. */
type Seen = {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  pieces: number
  whole: boolean
  error: string | null
}

let stop: (() => Promise<void>) | undefined
afterEach(() => stop?.())

/** Asks a server whose one reply goes wrong so. */
async function seen(does: Fault['does'] | null): Promise<Seen> {
  const fault: Fault | undefined = does ? { path: null, times: 1, does } : undefined
  const server = createServer((_, response) => void writeReply(response, reply, fault))
  const address = await listenOnLoopback(server, 0)
  stop = () => closeServer(server)
  return new Promise((resolve) => {
    const none = { status: 0, headers: {}, body: Buffer.alloc(0), pieces: 0, whole: false }
    const asked = ask(address, { method: 'POST' }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', () => undefined)
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces),
          pieces: pieces.length,
          whole: response.complete,
          error: null,
        }),
      )
    })
    asked.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ ...none, error: error.code ?? error.message }),
    )
    asked.end()
  })
}

describe('a reply', () => {
  it('is written as it is without a fault', async () => {
    const got = await seen(null)
    expect(got).toMatchObject({ status: 200, whole: true, body })
    expect(got.headers['content-length']).toBe(String(body.length))
  })

  it('is delayed', async () => {
    const before = performance.now()
    expect(await seen({ kind: 'delay', milliseconds: 60 })).toMatchObject({ status: 200, whole: true, body })
    expect(performance.now() - before).toBeGreaterThanOrEqual(59)
  })

  it.each([400, 401, 403, 404, 429, 500])('is a %i in JSON', async (status) => {
    const got = await seen({ kind: 'status', status, retryAfter: null })
    expect(got.status).toBe(status)
    expect(JSON.parse(got.body.toString())).toHaveProperty('error')
    expect(got.headers).not.toHaveProperty('retry-after')
  })

  it.each([502, 503, 504])('is a %i in HTML, as gateways answer, with the time to wait', async (status) => {
    const got = await seen({ kind: 'status', status, retryAfter: '7' })
    expect(got.status).toBe(status)
    expect(got.headers).toMatchObject({ 'retry-after': '7', 'content-type': 'text/html; charset=utf-8' })
  })

  it.each([0, 0.3])('breaks off after %d of the body', async (after) => {
    const got = await seen({ kind: 'cut', after })
    expect(got).toMatchObject({ status: 200, whole: false })
    expect(got.headers['content-length']).toBe(String(body.length))
    expect(got.body).toEqual(body.subarray(0, Math.floor(body.length * after)))
  })

  it('is a page of HTML', async () => {
    const got = await seen({ kind: 'html' })
    expect(got).toMatchObject({ status: 200, whole: true })
    expect(got.body.toString()).toMatch(/^<!doctype html>/)
  })

  it('is JSON that cannot be read', async () => {
    const got = await seen({ kind: 'malformed' })
    expect(got.headers['content-type']).toBe('application/json')
    expect(got.whole).toBe(true)
    expect(() => JSON.parse(got.body.toString())).toThrow(SyntaxError)
  })

  it('drips', async () => {
    const got = await seen({ kind: 'drip', bytes: Math.ceil(body.length / 8), everyMilliseconds: 5 })
    expect(got).toMatchObject({ status: 200, whole: true, body })
    expect(got.pieces).toBeGreaterThan(1)
  })

  it('is a redirect that asks for the body again', async () => {
    const got = await seen({ kind: 'redirect', to: 'http://127.0.0.1:9/elsewhere' })
    expect(got.status).toBe(307)
    expect(got.headers.location).toBe('http://127.0.0.1:9/elsewhere')
  })

  it('is a reset of the connection', async () => {
    expect(await seen({ kind: 'reset' })).toMatchObject({ status: 0, error: 'ECONNRESET' })
  })

  it('has no bytes', async () => {
    const got = await seen({ kind: 'nothing' })
    expect([got.whole, got.status, got.body.length]).toEqual([true, 200, 0])
  })

  it('has another length', async () => {
    const got = await seen({ kind: 'wrong-length' })
    expect(got.whole).toBe(true)
    expect(got.body.length).toBe(Math.floor(body.length * 0.75))
  })

  it.each<Fault['does']>([
    { kind: 'delay', milliseconds: 600_000 },
    { kind: 'drip', bytes: 1, everyMilliseconds: 600_000 },
  ])('ends when the other side goes away during a $kind', async (does) => {
    let settle: (written: Promise<void>) => void
    const written = new Promise<void>((resolve) => {
      settle = resolve
    })
    const server = createServer((_, response) => {
      settle(writeReply(response, reply, { path: null, times: 1, does }))
      asked.destroy()
    })
    const address = await listenOnLoopback(server, 0)
    stop = () => closeServer(server)
    const asked = ask(address, { method: 'POST' })
    asked.on('error', () => undefined).end()
    await expect(written).resolves.toBeUndefined()
  })

  it('is logged with the status that the other side sees', () => {
    const status = (does: Fault['does'] | null) =>
      writtenStatus({ ...reply, status: 201 }, does ? { path: null, times: 1, does } : undefined)
    expect(status(null)).toBe(201)
    expect(status({ kind: 'delay', milliseconds: 1 })).toBe(201)
    expect(status({ kind: 'status', status: 503, retryAfter: null })).toBe(503)
    expect(status({ kind: 'html' })).toBe(200)
    expect(status({ kind: 'redirect', to: 'http://127.0.0.1/' })).toBe(307)
    expect(status({ kind: 'reset' })).toBe(0)
  })
})
