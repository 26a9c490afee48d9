import { randomBytes } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { gzipSync } from 'node:zlib'
import { scriptedServer } from '#test/helpers/scripted-server.ts'
import type { ScriptedServer } from '#test/helpers/scripted-server.ts'
import { clientFor, failureOfCall } from '#test/helpers/service-client.ts'

let server: ScriptedServer | undefined
afterEach(() => server?.close())

it('takes a large packed answer of a service that hangs up behind it', async () => {
  // Noise: it takes longer to unpack than to receive, so that the end comes while the answer is still being read.
  const text = JSON.stringify({ instances: randomBytes(1_000_000).toString('hex') })
  const packed = gzipSync(text)
  server = await scriptedServer((_, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'content-length': String(packed.length),
      connection: 'close',
    })
    response.end(packed)
  })
  const client = clientFor(server.address)
  for (let turn = 0; turn < 10; turn += 1) {
    // It was read to its end: what is wrong is its form.
    const failure = await failureOfCall(client.call('interface/instances', {}))
    expect(failure.message).toContain('instances is not a list')
  }
  await client.close()
})
