import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'

/** A service with one report whose archive lies on the disk: `archive-server.ts <file> <mebibytes>` prints its address. */
const [path = '', mebibytes = '1024'] = process.argv.slice(2)

function* rows(): Iterable<Buffer> {
  const piece = Buffer.from('2026-11-19T00:00:00Z,news,Germany,suspect\r\n'.repeat(24_000)).subarray(
    0,
    1024 * 1024,
  )
  for (let made = 0; made < Number(mebibytes); made += 1) yield piece
}

const zip = new yazl.ZipFile()
zip.addReadStream(Readable.from(rows(), { objectMode: false }), 'report.csv', { compress: false })
zip.end()
await pipeline(zip.outputStream as Readable, createWriteStream(path))
const { size } = statSync(path)

const record = {
  ...{ id: 'large', type: 'Direct', name: 'Large', start: 20261119, end: 20261119 },
  ...{ instance_id: 1, instance_name: 'One', columns: { standard: ['source'], additional: null } },
  ...{ filters: null, send_email: false, requested: '2026-11-20T00:00:00+00:00', file_name: 'large.zip' },
  ...{ file_size: size, rows: 1, created: '2026-11-20T00:01:00+00:00', failed: null, timed_out: null },
  ...{
    cancelled: null,
    alerted: null,
    status: 'Ready',
    processing_minutes: 1,
    expires: '2099-01-01T00:00:00+00:00',
  },
}

const server = createServer((request, response) => {
  const json = (value: unknown) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }
  request.resume()
  if (request.url === '/v1/raw/report') return json(record)
  if (request.url === '/v1/raw/download') {
    return json({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/large.zip` })
  }
  response.writeHead(200, { 'content-length': size, 'content-type': 'application/zip', etag: '"one"' })
  return createReadStream(path, { highWaterMark: 1024 * 1024 }).pipe(response)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
