import net from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { SocketBody, readHead } from '#main/raw/downloads/socket-body.ts'
import { checkProperty } from '#test/helpers/properties.ts'

describe('the head of an answer', () => {
  it('is its status, its headers and the length of its body', () => {
    expect(readHead('HTTP/1.1 206 Partial Content\r\nETag: "a"\r\nContent-Length:  12 \r\nX-Empty:')).toEqual(
      {
        status: 206,
        headers: { etag: '"a"', 'content-length': '12', 'x-empty': '' },
        length: 12,
      },
    )
  })

  it.each([
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked',
    'HTTP/1.1 200 OK\r\nContent-Length: -5',
    'HTTP/1.1 200 OK\r\nContent-Length: 0x10',
    'HTTP/1.1 100 Continue\r\nContent-Length: 5',
  ])('has no simple length: %j', (text) => expect(readHead(text)).toMatchObject({ length: null }))

  it.each([
    '',
    'HTTP/2 200 OK',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 200 OK\r\n folded: 1',
    'HTTP/1.1 200 OK\r\nno colon',
    'HTTP/1.1 200 OK\r\nbad name: 1',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6',
    'HTTP/1.1 200 OK\r\nETag: "a"\r\nETag: "b"',
    'HTTP/1.1 200 OK\r\nX: a\nY: b',
    'HTTP/1.1 200 OK\r\nX: a\0b',
    'SSH-2.0-OpenSSH',
  ])('is none: %j', (text) => expect(readHead(text)).toBeNull())

  it('is never anything but a head or none, and knows nothing but what was sent', () => {
    checkProperty(
      'heads',
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const head = readHead(`HTTP/1.1 200 OK\r\n${text}`)
        for (const name of Object.keys(head?.headers ?? {})) expect(text.toLowerCase()).toContain(name)
      }),
    )
  })
})

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** @param idle how long nothing may come, in milliseconds: long where the computer alone decides how fast it comes */
async function served(
  serve: (socket: Socket) => void,
  idle = 60_000,
): Promise<{ body: SocketBody; socket: Socket }> {
  const sockets = new Set<Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => serve(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const body = new SocketBody(idle)
  const { port } = server.address() as AddressInfo
  const socket = net.connect({ host: '127.0.0.1', port, onread: body.onread })
  open.push(() => {
    socket.destroy()
    for (const each of sockets) each.destroy()
    server.close()
  })
  return { body, socket }
}

/** Takes pieces one after the other, each some time later; `held` is how many it had at the most. */
function slowSink(delay: number) {
  const pieces: Buffer[] = []
  let waiting = 0
  const sink = {
    pieces,
    held: 0,
    hasFailed: false,
    room: () => Promise.resolve(),
    take: (piece: Uint8Array, release?: () => void) => {
      waiting += 1
      sink.held = Math.max(sink.held, waiting)
      setTimeout(() => {
        pieces.push(Buffer.from(piece))
        waiting -= 1
        release?.()
      }, delay)
      return true
    },
  }
  return sink
}
const never = new AbortController().signal
const noise = Buffer.from(Array.from({ length: 251 }, (_, index) => index))
const large = Buffer.alloc(20 * 1024 * 1024, noise)
const head = (length: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`

describe('a body straight from its socket', () => {
  it('comes whole to one who takes it slowly, in the same few pieces of memory', async () => {
    const { body, socket } = await served((other) =>
      other.write(Buffer.concat([Buffer.from(head(large.length)), large])),
    )
    expect((await body.ask(socket, 'GET')).length).toBe(large.length)
    const sink = slowSink(5)
    await body.pour(sink, never)
    await expect.poll(() => Buffer.concat(sink.pieces).length).toBe(large.length)
    expect(Buffer.concat(sink.pieces).equals(large)).toBe(true)
    expect(sink.held).toBeLessThanOrEqual(9)
  })

  it('comes whole where its head comes in single bytes, and what follows it is not its own', async () => {
    const { body, socket } = await served((other) => {
      for (const byte of head(5)) other.write(byte)
      other.write('hello, and what does not belong')
    })
    await body.ask(socket, 'GET')
    const sink = slowSink(0)
    await body.pour(sink, never)
    await expect.poll(() => Buffer.concat(sink.pieces).toString()).toBe('hello')
  })

  it.each([
    ['is cut', (other: Socket) => other.end(`${head(10)}four`), 'ECONNRESET'],
    [
      'is reset',
      (other: Socket) => other.write(`${head(10)}four`, () => setTimeout(() => other.resetAndDestroy(), 20)),
      'ECONNRESET',
    ],
  ])('fails where it %s', async (_, serve, code) => {
    const { body, socket } = await served(serve)
    await body.ask(socket, 'GET')
    await expect(body.pour(slowSink(0), never)).rejects.toMatchObject({ code })
  })

  it('fails where nothing more comes, where it is broken off, and where its end is long gone', async () => {
    const still = await served((other) => other.write(`${head(10)}four`), 400)
    await still.body.ask(still.socket, 'GET')
    await expect(still.body.pour(slowSink(0), never)).rejects.toMatchObject({ by: 'idle' })

    const stopped = await served((other) => other.write(`${head(10)}four`))
    await stopped.body.ask(stopped.socket, 'GET')
    const controller = new AbortController()
    const reason = new Error('Enough')
    setTimeout(() => controller.abort(reason), 20)
    await expect(stopped.body.pour(slowSink(0), controller.signal)).rejects.toBe(reason)
    expect(stopped.socket.destroyed).toBe(true)

    const gone = await served((other) => other.write(`${head(10)}four`))
    await gone.body.ask(gone.socket, 'GET')
    gone.socket.destroy()
    await expect(gone.body.pour(slowSink(0), never)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('fails where nothing more comes after it was held back', async () => {
    const { body, socket } = await served(
      (other) =>
        other.write(Buffer.concat([Buffer.from(head(large.length)), large.subarray(0, 8 * 1024 * 1024)])),
      400,
    )
    await body.ask(socket, 'GET')
    await expect(body.pour(slowSink(5), never)).rejects.toMatchObject({ by: 'idle' })
  })

  it('fails where hardly anything comes, however steadily', async () => {
    const drip = await served((other) => {
      other.write(head(10_000))
      const timer = setInterval(() => other.write('.'), 40)
      other.on('close', () => clearInterval(timer))
    }, 400)
    await drip.body.ask(drip.socket, 'GET')
    await expect(drip.body.pour(slowSink(0), never)).rejects.toMatchObject({ by: 'idle' })
  })

  it.each([
    ['is none', (other: Socket) => other.write('SSH-2.0-OpenSSH\r\n\r\n'), 'HPE_INVALID'],
    ['has no end', (other: Socket) => other.write(Buffer.alloc(70_000, 'a')), 'HPE_INVALID'],
    ['does not come', (other: Socket) => other.end(), 'ECONNRESET'],
  ])('fails where its head %s', async (_, serve, code) => {
    const { body, socket } = await served(serve)
    await expect(body.ask(socket, 'GET')).rejects.toMatchObject({ code })
  })
})
