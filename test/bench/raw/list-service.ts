import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service in a process of its own with 500 raw reports, of which a few end between two looks: prints its address. */
const REPORTS = 500
const RUNNING = 20
let looks = 0

function rowOf(index: number) {
  // Of the newest ones, the next few have ended with each look.
  const running = index >= REPORTS - RUNNING && (index + looks) % RUNNING < RUNNING / 2
  return {
    id: `report-${index}`,
    name: `Bad%20traffic+of%20client%20${index}`,
    instance: 'Northwind+News',
    type: 'Response',
    requested: '2026-11-20T08:00:00+00:00',
    created: running ? null : '2026-11-20T08:03:00+00:00',
    ...{ failed: null, timed_out: null, cancelled: null },
    status: running ? 'In+Progress' : 'Ready',
    expires: running ? null : '2099-01-01T00:00:00+00:00',
  }
}

function list(): string {
  looks += 1
  const limits = {
    ...{ minutes_total: 360, api_concurrent: 30, dashboard_concurrent: 2, minutes_available: 300 },
  }
  const query = { search: false, sort: '3:desc', page: 1, limit: 1000, results: REPORTS, pages: 1 }
  return JSON.stringify({
    processing: { limits, usage: { admin: { minutes: 1 } } },
    table: { rows: Array.from({ length: REPORTS }, (_, index) => rowOf(index)) },
    query: { ...query, processing_usage: true },
  })
}

let next = list()
const server = createServer((request, response) => {
  request.resume()
  response.setHeader('content-type', 'application/json').end(next)
  // Made while nobody waits: what the service takes is no part of the look.
  setTimeout(() => (next = list()), 5)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
