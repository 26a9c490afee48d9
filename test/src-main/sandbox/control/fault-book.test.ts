import { describe, expect, it } from 'vitest'
import { createFaultBook } from '#main/sandbox/control/fault-book.ts'
import { createRequestLog } from '#main/sandbox/control/request-log.ts'

const html = { kind: 'html' } as const
const reset = { kind: 'reset' } as const

describe('the fault book', () => {
  it('hands a fault out as often as it says, only at its path', () => {
    const book = createFaultBook()
    book.add({ path: 'direct/browsers', times: 2, does: html })
    expect(book.take('script/browsers')).toBeUndefined()
    expect(book.take('direct/browsers')?.does).toEqual(html)
    expect(book.waiting()).toEqual([{ path: 'direct/browsers', times: 1, does: html }])
    expect(book.take('direct/browsers')?.does).toEqual(html)
    expect(book.take('direct/browsers')).toBeUndefined()
  })

  it('takes the oldest first, at any path where none is named, without end where no times are', () => {
    const book = createFaultBook()
    book.add({ path: null, times: 1, does: html })
    book.add({ path: null, times: null, does: reset })
    expect(['a', 'b', 'c', 'd'].map((path) => book.take(path)?.does.kind)).toEqual([
      'html',
      'reset',
      'reset',
      'reset',
    ])
    book.clear()
    expect(book.take('e')).toBeUndefined()
  })
})

describe('the request log', () => {
  it('never holds a token', () => {
    const log = createRequestLog(() => 12)
    log.add({ path: 'raw/table', status: 200, parameters: { token: 'secret', page: 2 } })
    expect(log.list()).toEqual([{ path: 'raw/table', status: 200, at: 12, parameters: { page: 2 } }])
    log.clear()
    expect(log.list()).toEqual([])
  })

  it('lets the oldest go', () => {
    const log = createRequestLog(() => 0)
    for (let count = 1; count <= 12_000; count += 1)
      log.add({ path: String(count), status: 200, parameters: {} })
    const paths = log.list().map((each) => each.path)
    expect(paths).toHaveLength(5_000)
    expect([paths.at(0), paths.at(-1)]).toEqual(['7001', '12000'])
  })
})
