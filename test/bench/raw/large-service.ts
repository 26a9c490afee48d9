import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { handOn, textOf } from '../measure/hand-on.ts'
import type { FromLargeService, ToLargeService } from './messages.ts'
import { writeLargeArchive } from './large-archive.ts'

/**
 * A service in a process of its own whose raw reports are all very large: `large-service.ts <sandbox> <file> <MiB>`. It
 * says when it is asked where an archive lies, and answers when it is told to.
 */
const [sandbox = '', path = '', mebibytes = ''] = process.argv.slice(2)
const size = await writeLargeArchive(path, Number(mebibytes))
let goOn: () => void = () => undefined
const tell = (message: FromLargeService) => process.send?.(message)
const server = createServer((request, response) => {
  if (request.url === '/large.zip') {
    response.writeHead(200, { 'content-length': size, 'content-type': 'application/zip', etag: '"one"' })
    createReadStream(path, { highWaterMark: 1024 * 1024 }).pipe(response)
    return
  }
  void answer(request).then((text) => response.setHeader('content-type', 'application/json').end(text))
})
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function answer(request: IncomingMessage): Promise<string> {
  const text = await handOn(sandbox, request, await textOf(request))
  if (request.url === '/v1/raw/report') return text.replace(/"file_size":\d+/, `"file_size":${size}`)
  if (request.url !== '/v1/raw/download') return text
  const told = new Promise<void>((resolve) => (goOn = resolve))
  tell({ kind: 'asked' })
  await told
  return JSON.stringify({ url: `${address()}/large.zip` })
}

process.on('message', (message: ToLargeService) => {
  if (message === 'answer') goOn()
})
server.listen(0, '127.0.0.1', () => tell({ kind: 'ready', address: address(), size }))
