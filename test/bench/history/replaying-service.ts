import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dayToWire } from '#shared/values/day.ts'
import { textOf } from '../measure/hand-on.ts'
import { asked, daysAsked, headersFor } from './keeping-asked.ts'
import { hostName, madeDay } from './made-days.ts'

/** A service in a process of its own whose answers were all made before: it costs next to nothing to be asked. */
const answers = new Map<string, Buffer>()
for (const { path, family, dimension, rows } of asked) {
  const labels = Array.from({ length: Math.ceil(rows * 1.5) }, (_, index) => hostName(index))
  const { headers, totals, columns } = headersFor(family, dimension)
  for (const [nth, day] of daysAsked.entries()) {
    const made = madeDay(nth, rows, labels)
    const inOrder = (cells: readonly unknown[]) => columns.map((at) => cells[at] ?? 0)
    const all = inOrder(made.all.cells)
    const body = {
      total: Object.fromEntries(totals.map((name, at) => [name, at])),
      table: {
        headers: headers.map(encodeURIComponent),
        all: [false, ...all],
        rows: made.rows.map(({ label, cells }) => [
          label.kind === 'text' ? label.text : '',
          ...inOrder(cells),
        ]),
      },
      query: { start: dayToWire(day), end: dayToWire(day), page: 1, limit: 1000, results: rows, pages: 1 },
    }
    answers.set(`/v1/${path} ${dayToWire(day)}`, Buffer.from(JSON.stringify(body)))
  }
}

const server = createServer((request, response) => {
  void textOf(request).then((text) => {
    const { start } = JSON.parse(text) as { start: number }
    const answer = answers.get(`${request.url} ${start}`)
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(answer)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
