import net from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFetcher } from '#main/fetching/fetcher.ts'
import type { UnreadResponse } from '#main/fetching/fetcher.ts'
import { networkCodeOf } from '#main/api/transport/exchange.ts'

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const never = new AbortController().signal

/** Fetches from a server of bytes. @param idle how long nothing may come, in milliseconds: long where the computer alone decides how fast it comes */
async function served(
  serve: (socket: Socket) => void,
  { idle = 60_000, signal = never } = {},
): Promise<{ response: Promise<UnreadResponse>; peer: Promise<Socket> }> {
  const sockets = new Set<Socket>()
  let meet: (socket: Socket) => void
  const peer = new Promise<Socket>((resolve) => (meet = resolve))
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      meet(socket)
      serve(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  open.push(() => {
    for (const each of sockets) each.destroy()
    server.close()
  })
  const fetcher = createFetcher({
    resolveProxy: () => Promise.resolve('DIRECT'),
    timeouts: { connect: 30_000, firstByte: 30_000, idle },
  })
  return { response: fetcher.get(`http://127.0.0.1:${port}/`, {}, 'loopback', signal), peer }
}

/** Reads a body piece by piece; after each it does something else. */
async function read({ body }: UnreadResponse, after: () => Promise<void> | void = () => undefined) {
  const pieces: Buffer[] = []
  for await (const piece of body) {
    pieces.push(Buffer.from(piece))
    await after()
  }
  return Buffer.concat(pieces)
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/** Waits until no more of what a peer wrote is taken: all that may wait has come. */
async function settled(peer: Socket): Promise<void> {
  for (let before = -1, same = 0; same < 200; same = peer.writableLength === before ? same + 1 : 0) {
    before = peer.writableLength
    await turns(1)
  }
}

const noise = Buffer.from(Array.from({ length: 251 }, (_, index) => index))
const large = Buffer.alloc(20 * 1024 * 1024, noise)
const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`
const ends = [
  ['hangs up', (other: Socket) => other.resetAndDestroy()],
  ['ends', (other: Socket) => other.end()],
] as const
const keeps = ['close', 'keep-alive'] as const

describe('the body of a response', () => {
  it('comes whole to one who takes it slowly, who holds little of it', async () => {
    const { response, peer } = await served((other) =>
      other.write(Buffer.concat([Buffer.from(head(large.length)), large])),
    )
    const reply = await response
    await settled(await peer)
    expect((await peer).writableLength).toBeGreaterThan(large.length / 2)
    expect((await read(reply, () => turns(1))).equals(large)).toBe(true)
  })

  it('comes whole where its head comes in single bytes, and what follows it is not its own', async () => {
    const { response } = await served((other) => {
      for (const byte of head(5)) other.write(byte)
      other.write('hello, and what does not belong')
    })
    expect((await read(await response)).toString()).toBe('hello')
  })

  it('is that of the response, not of interim ones before it', async () => {
    const { response } = await served((other) =>
      other.end(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head(5)}hello`),
    )
    const reply = await response
    expect(reply).toMatchObject({ status: 200, headers: { 'content-length': '5' } })
    expect((await read(reply)).toString()).toBe('hello')
  })

  it.each(ends.flatMap(([how, end]) => keeps.map((keep) => [how, keep, end] as const)))(
    'is lost, and nothing else, where the other side %s while it is held back (connection: %s)',
    async (_, keep, end) => {
      const { response, peer } = await served((other) => {
        other.write(`HTTP/1.1 200 OK\r\nContent-Length: ${large.length * 2}\r\nConnection: ${keep}\r\n\r\n`)
        other.write(large)
      })
      const reply = await response
      await settled(await peer)
      end(await peer)
      await turns(200)
      await expect(read(reply)).rejects.toThrow()
    },
  )

  it('delivers what has come before it fails', async () => {
    const { response } = await served((other) =>
      other.write(`${head(10)}four`, () => setTimeout(() => other.resetAndDestroy(), 20)),
    )
    const { body } = await response
    const pieces: string[] = []
    const reading = (async () => {
      for await (const piece of body) pieces.push(Buffer.from(piece).toString())
    })()
    const error: unknown = await reading.catch((thrown: unknown) => thrown)
    expect(pieces.join('')).toBe('four')
    expect(networkCodeOf(error)).toBeDefined()
  })

  it('fails where it is cut', async () => {
    const { response } = await served((other) => other.end(`${head(10)}four`))
    await expect(read(await response)).rejects.toThrow()
  })

  it('fails where nothing more comes, and where it is broken off', async () => {
    const still = await served((other) => other.write(`${head(10)}four`), { idle: 400 })
    await expect(read(await still.response)).rejects.toMatchObject({ by: 'idle' })

    const controller = new AbortController()
    const reason = new Error('Enough')
    const stopped = await served((other) => other.write(`${head(10)}four`), { signal: controller.signal })
    const reply = await stopped.response
    const closed = new Promise((resolve) => void stopped.peer.then((peer) => peer.on('close', resolve)))
    const reading = read(reply)
    controller.abort(reason)
    await expect(reading).rejects.toBe(reason)
    await closed
  })

  it('fails where nothing more comes after it was held back', async () => {
    const { response } = await served(
      (other) =>
        other.write(Buffer.concat([Buffer.from(head(large.length)), large.subarray(0, 8 * 1024 * 1024)])),
      { idle: 400 },
    )
    await expect(read(await response, () => turns(5))).rejects.toMatchObject({ by: 'idle' })
  })

  it('fails where hardly anything comes, however steadily', async () => {
    const drip = await served(
      (other) => {
        other.write(head(10_000))
        const timer = setInterval(() => other.write('.'), 40)
        other.on('close', () => clearInterval(timer))
      },
      { idle: 400 },
    )
    await expect(read(await drip.response)).rejects.toMatchObject({ by: 'idle' })
  })

  it('waits without end for one who does not read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    open.push(() => vi.useRealTimers())
    const { response, peer } = await served((other) =>
      other.write(Buffer.concat([Buffer.from(head(large.length)), large])),
    )
    const reply = await response
    await settled(await peer)
    vi.advanceTimersByTime(3_600_000)
    expect((await read(reply)).length).toBe(large.length)
  })
})

describe('the head of a response', () => {
  it.each([
    ['is none', (other: Socket) => other.write('SSH-2.0-OpenSSH\r\n\r\n')],
    ['has no end', (other: Socket) => other.write(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(70_000)}`)],
    ['does not come', (other: Socket) => other.end()],
    [
      'says two lengths',
      (other: Socket) => other.end(`HTTP/1.1 200 OK\r\nContent-Length: 6\r\n${head(5).slice(17)}hello`),
    ],
    [
      'says a length and chunks',
      (other: Socket) =>
        other.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${head(5).slice(17)}hello`),
    ],
    ['folds a line', (other: Socket) => other.end('HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n')],
  ])('fails where it %s', async (_, serve) => {
    const { response } = await served(serve)
    const error: unknown = await response.then(read).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(networkCodeOf(error)).toMatch(/^(HPE|UND_ERR|ECONN)/)
  })
})
