import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dayFromWire, daysOf } from '#shared/values/day.ts'
import { textOf } from '../measure/hand-on.ts'

/** A service in a process of its own with a table of so many referrers on each day: rows are made as they are asked for. */
const rows = Number(process.argv[2])
const headers = ['Host', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad%20Blocker']

type Asked = { readonly start: number; readonly end: number; readonly page?: number; readonly limit?: number }

/** The counts of a row on a day, by the numbers of both. */
function countsOf(row: number, day: number): readonly number[] {
  const [good, warning, bad] = [((row * 31 + day * 17) % 9973) + 1, (row + day) % 5, (row * 7 + day) % 11]
  const responses = good + warning + bad
  return [responses + (row % 3), responses, good, warning, bad, row % 7, row % 13]
}

const added = (one: readonly number[], other: readonly number[]) =>
  one.map((count, place) => count + (other[place] ?? 0))

const sums = new Map<number, readonly number[]>()
function sumOf(day: number): readonly number[] {
  const known = sums.get(day)
  if (known) return known
  let sum: readonly number[] = headers.slice(1).map(() => 0)
  for (let row = 0; row < rows; row += 1) sum = added(sum, countsOf(row, day))
  sums.set(day, sum)
  return sum
}

function answerTo({ start, end, page = 1, limit = 20 }: Asked): object {
  const [first, last] = [dayFromWire(start), dayFromWire(end)]
  if (!first || !last) throw new RangeError('No days were asked for')
  const days = daysOf({ start: first, end: last }).map((day) => Date.parse(day) / 86_400_000)
  const all = days.map(sumOf).reduce(added)
  const [, , good, warning, bad, mobile, adblocker] = all
  const from = (page - 1) * limit
  return {
    total: { good, warning, bad, mobile, adblocker },
    table: {
      headers,
      all: [false, ...all],
      rows: Array.from({ length: Math.max(0, Math.min(limit, rows - from)) }, (_, at) => [
        `publisher-${((from + at) * 7919) % 1_000_003}.example.com`,
        ...days.map((day) => countsOf(from + at, day)).reduce(added),
      ]),
    },
    query: { start, end, page, limit, results: rows, pages: Math.ceil(rows / limit) },
  }
}

let requests = 0
const server = createServer((request, response) => {
  void textOf(request).then((text) => {
    requests += 1
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(answerTo(JSON.parse(text) as Asked)))
  })
})
process.on('message', () => process.send?.({ requests }))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
