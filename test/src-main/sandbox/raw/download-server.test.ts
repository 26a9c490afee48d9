import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { describe, expect, it, afterEach, beforeEach } from 'vitest'
import { readRange } from '#main/sandbox/raw/download-server.ts'
import { startTestRaw } from './harness.ts'
import type { TestRaw } from './harness.ts'
import { unpack } from './read-archive.ts'

/** RFC 9110, 14.1.2 and 14.2, on a file of 100 bytes. */
describe('a Range header', () => {
  it.each([
    ['bytes=0-', { start: 0, end: 99 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=99-', { start: 99, end: 99 }],
    ['bytes=50-1000', { start: 50, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['bytes=-', 'whole'],
    ['rows=0-1', 'whole'],
    ['', 'whole'],
    [undefined, 'whole'],
  ])('%s', (header, expected) => {
    expect(readRange(header, 100)).toEqual(expected)
  })
})

let desk: TestRaw
let raw: string
let url: string
beforeEach(async () => {
  desk = await startTestRaw()
  raw = await desk.finished({ standard: ['source', 'user_agent'] })
  url = (await desk.ask('raw/download', { raw })).url
})
afterEach(() => desk.close())

type Sizes = { readonly packed: number; readonly table: number }

/** The answer as it goes over the wire: `fetch` would undo its coding. */
function rawAnswer(headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>(
    (resolve, reject) => {
      request(url, { headers }, (response) => {
        buffer(response).then(
          (bytes) => resolve({ status: response.statusCode, headers: response.headers, bytes }),
          reject,
        )
      })
        .on('error', reject)
        .end()
    },
  )
}

const get = (headers: Record<string, string> = {}) => fetch(url, { headers })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe('a download', () => {
  it('comes whole, with its name, size and tag', async () => {
    const record = await desk.ask('raw/report', { raw })
    const response = await get()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${record.file_name}"`)
    expect(response.headers.get('content-length')).toBe(String(record.file_size))
    expect(response.headers.get('accept-ranges')).toBe('bytes')
    expect(response.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
    expect((await bytesOf(response)).length).toBe(record.file_size)
  })

  it('comes in parts that make up the whole', async () => {
    const whole = await bytesOf(await get())
    const first = await get({ range: 'bytes=0-99' })
    const rest = await get({ range: 'bytes=100-', 'if-range': first.headers.get('etag') ?? '' })
    expect([first.status, rest.status]).toEqual([206, 206])
    expect(rest.headers.get('content-range')).toBe(`bytes 100-${whole.length - 1}/${whole.length}`)
    expect(Buffer.concat([await bytesOf(first), await bytesOf(rest)])).toEqual(whole)
  })

  it('comes whole where the tag is of another file', async () => {
    const response = await get({ range: 'bytes=100-', 'if-range': '"another"' })
    expect(response.status).toBe(200)
  })

  it('has no range beyond its end', async () => {
    const { length } = await bytesOf(await get())
    const response = await get({ range: `bytes=${length}-` })
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe(`bytes */${length}`)
  })

  it('knows no ranges where the behaviour says so', async () => {
    desk.state.behave({ ...desk.state.behaviour(), downloadRanges: false })
    const response = await get({ range: 'bytes=100-' })
    expect(response.status).toBe(200)
    expect(response.headers.get('accept-ranges')).toBe('none')
  })

  it.each([
    ['weak', 'etag', 200],
    ['dates', 'last-modified', 206],
  ] as const)('can be told by %s tags', async (downloadTags, name, status) => {
    desk.state.behave({ ...desk.state.behaviour(), downloadTags })
    const tag = (await get()).headers.get(name) ?? ''
    expect(tag).not.toBe('')
    expect((await get({ range: 'bytes=100-', 'if-range': tag })).status).toBe(status)
  })

  it('has other bytes, another tag and the size of its record in another version', async () => {
    const one = await get()
    const bytes = await bytesOf(one)
    desk.state.behave({ ...desk.state.behaviour(), archiveVersion: 1 })
    const other = await get()
    expect(other.headers.get('etag')).not.toBe(one.headers.get('etag'))
    const first = await bytesOf(other)
    expect(first.equals(bytes)).toBe(false)
    expect((await desk.ask('raw/report', { raw })).file_size).toBe(first.length)
    desk.state.behave({ ...desk.state.behaviour(), archiveVersion: 2 })
    const second = await bytesOf(await get())
    expect(second.length).toBe(first.length)
    expect(second.equals(first)).toBe(false)
    expect((await unpack(second)).text).toBe((await unpack(bytes)).text)
  })

  it('has no bytes where archives are empty, and its record says so', async () => {
    desk.state.behave({ ...desk.state.behaviour(), emptyArchives: true })
    const got = await get()
    expect([got.status, got.headers.get('content-length'), (await bytesOf(got)).length]).toEqual([
      200,
      '0',
      0,
    ])
    expect((await desk.ask('raw/report', { raw })).file_size).toBe(0)
  })

  it.each([
    ['gzip', gunzipSync],
    ['deflate', inflateSync],
    ['raw-deflate', inflateRawSync],
    ['br', brotliDecompressSync],
    ['gzip, gzip', (bytes: Buffer) => gunzipSync(gunzipSync(bytes))],
  ] as const)('comes encoded with %s, in ranges of what is encoded', async (downloadCoding, decoded) => {
    const plain = await rawAnswer()
    desk.state.behave({ ...desk.state.behaviour(), downloadCoding })
    const whole = await rawAnswer()
    expect(whole.headers['content-encoding']).toBe(downloadCoding.replace('raw-', ''))
    expect(whole.headers['content-length']).toBe(String(whole.bytes.length))
    expect(decoded(whole.bytes).equals(plain.bytes)).toBe(true)
    const rest = await rawAnswer({ range: 'bytes=100-' })
    expect(rest.status).toBe(206)
    expect(rest.bytes.equals(whole.bytes.subarray(100))).toBe(true)
  })

  it('comes in chunks where the behaviour says so', async () => {
    const plain = await rawAnswer()
    desk.state.behave({ ...desk.state.behaviour(), downloadChunks: true })
    const { headers, bytes } = await rawAnswer()
    expect([headers['transfer-encoding'], headers['content-length']]).toEqual(['chunked', undefined])
    expect(bytes.equals(plain.bytes)).toBe(true)
  })

  it.each([
    ['kilobytes', ({ packed }: Sizes) => Math.round(packed / 1000)],
    ['megabytes', ({ packed }: Sizes) => Number((packed / 1e6).toFixed(2))],
    ['unpacked', ({ table }: Sizes) => table],
    ['zero', () => 0],
    ['negative', () => -1],
    ['text', ({ packed }: Sizes) => `${(packed / 1e6).toFixed(1)} MB`],
  ] as const)('has a record whose size is in %s', async (fileSizes, expected) => {
    const { bytes } = await rawAnswer()
    const { text } = await unpack(bytes)
    const { raw: before } = desk.state.behaviour()
    desk.state.behave({ ...desk.state.behaviour(), raw: { ...before, fileSizes } })
    const { file_size: said } = await desk.ask('raw/report', { raw })
    expect(said).toBe(expected({ packed: bytes.length, table: Buffer.byteLength(text) }))
  })

  it('has an address that expires after five minutes, and a new one on asking', async () => {
    desk.state.clock.advance(5 * 60_000 - 1)
    expect((await get()).status).toBe(200)
    desk.state.clock.advance(1)
    expect((await get()).status).toBe(403)
    const again = (await desk.ask('raw/download', { raw })).url
    expect(again).not.toBe(url)
    expect((await fetch(again)).status).toBe(200)
  })

  it('is at another origin, by an address that a second decoding spoils', async () => {
    expect(new URL(url).origin).toBe(desk.raw.downloads)
    expect((await fetch(decodeURIComponent(url))).status).toBe(404)
    expect((await fetch(new URL('/nothing/here.zip', url))).status).toBe(404)
  })

  it('is gone with its report', async () => {
    await desk.ask('raw/remove', { raw })
    expect((await get()).status).toBe(404)
  })

  it.each([{ authorization: 'Bearer x' }, { cookie: 'a=b' }, { 'x-access-token': 'x' }])(
    'refuses credentials: %o',
    async (headers) => {
      expect((await get(headers)).status).toBe(400)
      expect(desk.state.requests.list().at(-1)).toMatchObject({ path: 'download', status: 400 })
    },
  )

  it('refuses a token in the address or a body, and any other method', async () => {
    expect((await fetch(`${url}&token=x`)).status).toBe(400)
    expect((await fetch(url, { method: 'POST', body: 'token=x' })).status).toBe(400)
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405)
  })

  it('is logged with its range, for tests that count', async () => {
    await get({ range: 'bytes=5-9' })
    const file = (await desk.ask('raw/report', { raw })).file_name
    expect(desk.state.requests.list()).toEqual([
      {
        path: 'download',
        status: 206,
        time: desk.state.clock.now(),
        parameters: { file, range: 'bytes=5-9', if_range: null },
      },
    ])
  })

  it('goes wrong as it is told, and then right again', async () => {
    const whole = await bytesOf(await get())
    desk.state.faults.add({ path: 'download', times: 1, does: { kind: 'wrong-length' } })
    desk.state.faults.add({ path: 'download', times: 1, does: { kind: 'cut', after: 0.5 } })
    const short = await get()
    expect(short.headers.get('content-length')).toBe(String(Math.floor(whole.length * 0.75)))
    expect((await bytesOf(short)).length).toBe(Math.floor(whole.length * 0.75))
    await expect(get().then(bytesOf)).rejects.toThrow()
    expect(await bytesOf(await get())).toEqual(whole)
  })
})
