import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSandbox } from './desk.ts'
import type { Sandbox } from './desk.ts'
import { handOn, textOf } from './hand-on.ts'

/** Text that a wire carries escaped. */
const headers = ['Host', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad%20Blocker']

/** Says which table it asks for. */
type Asked = { readonly page?: number; readonly limit?: number }

/** The stand-in service with a table of referrers of its own: so many rows of 8 columns, whatever is asked of it. */
export async function startWideService(results: number): Promise<Sandbox> {
  const sandbox = await startSandbox()
  const rows = madeRows(results)
  const sums = headers.slice(1).map((_, at) => rows.reduce((sum, row) => sum + Number(row[at + 1]), 0))
  const server = createServer((request, response) => {
    void textOf(request).then(async (body) => {
      const wide = request.url === '/v1/script/referrers'
      const answer = wide
        ? widePage(JSON.parse(body) as Asked, rows, sums)
        : await handOn(sandbox.address, request, body)
      response.setHeader('content-type', 'application/json').end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: sandbox.token,
    delay: sandbox.delay,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await sandbox.close()
    },
  }
}

type Row = readonly [label: string, ...counts: number[]]

function madeRows(results: number): Row[] {
  return Array.from({ length: results }, (_, index) => {
    const count = 2 * (results - index)
    const label = `publisher-${String(index).padStart(6, '0')}.example.com`
    return [label, count, count, count - 2, 1, 1, Math.floor(count / 2), Math.floor(count / 7)]
  })
}

function widePage(asked: Asked, rows: readonly Row[], sums: readonly number[]): string {
  const { page = 1, limit = 10 } = asked
  const [, , good, warning, bad, mobile, adblocker] = sums
  const results = rows.length
  return JSON.stringify({
    total: { good, warning, bad, mobile, adblocker },
    table: { headers, all: [false, ...sums], rows: rows.slice((page - 1) * limit, page * limit) },
    query: { ...asked, token: undefined, page, limit, results, pages: Math.ceil(results / limit) },
  })
}
