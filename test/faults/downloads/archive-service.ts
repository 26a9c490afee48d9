import { onTestFinished } from 'vitest'
import type { RawReportId } from '#shared/values/ids.ts'
import { createServiceClient } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import { json, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { ScriptedServer } from '#test/helpers/scripted-server.ts'
import { downloadsFrom } from '#test/src-main/raw/downloads/helpers.ts'

export const TOKEN = 'a'.repeat(32)
export const report = 'report' as RawReportId

type Served = {
  readonly bytes: Buffer
  /** What the record says as its size; the right one unless given. */
  readonly recorded?: number
  /** What is said of the answer beside its length. */
  readonly headers?: Readonly<Record<string, string>>
  /** Where the service says that the archive lies; on the service itself unless given. */
  readonly url?: string
  readonly name?: string
  readonly instance?: string
  /** What of the archive comes after its first byte waits for this. */
  readonly rest?: Promise<void>
}

/** A service with one report that is ready, whose archive, names and address are anything that a test wants. */
export async function archiveService({
  bytes,
  recorded = bytes.length,
  headers: more = {},
  url,
  name = 'Report',
  instance = 'Site',
  rest = Promise.resolve(),
}: Served): Promise<ScriptedServer> {
  const record = {
    ...{ id: report, type: 'Direct', name: encodeURIComponent(name), start: 20261119, end: 20261119 },
    ...{ instance_id: 1, instance_name: encodeURIComponent(instance), filters: null, send_email: false },
    ...{ columns: { standard: ['source'], additional: null }, requested: '2026-11-20T00:00:00+00:00' },
    ...{ file_name: 'report.zip', file_size: recorded, rows: 1, created: '2026-11-20T00:01:00+00:00' },
    ...{ failed: null, timed_out: null, cancelled: null, alerted: null, status: 'Ready' },
    ...{ processing_minutes: 1, expires: '2099-01-01T00:00:00+00:00' },
  }
  const server = await scriptedServer((request, response) => {
    if (request.path === '/v1/raw/report') return json(record)(request, response)
    if (request.path === '/v1/raw/download')
      return json({ url: url ?? `${server.address}/archive.zip` })(request, response)
    const headers = {
      'content-length': String(bytes.length),
      'content-type': 'application/zip',
      etag: '"one"',
      ...more,
    }
    response.writeHead(200, headers)
    response.write(bytes.subarray(0, 1))
    void rest.then(() => response.end(bytes.subarray(1)))
  })
  onTestFinished(() => server.close())
  return server
}

/** Downloads from such a service. */
export async function deskAt(server: ScriptedServer, changes: Parameters<typeof downloadsFrom>[2] = {}) {
  const client = createServiceClient({
    address: server.address,
    token: () => Promise.resolve(new AccessToken(TOKEN, server.address)),
    bodyEncoding: 'json',
  })
  onTestFinished(() => client.close())
  return await downloadsFrom(client, server.address, changes)
}
