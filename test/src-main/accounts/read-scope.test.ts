import { describe, expect, it } from 'vitest'
import { readScope } from '#main/accounts/read-scope.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { Instant } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'

type Listed = { readonly ids: readonly (number | string | null)[]; readonly results?: number }

/** A service that answers with these pages, a list of them for each time that the first is asked for. */
function listing(...times: readonly (readonly Listed[])[]) {
  const asked: unknown[] = []
  let time = -1
  const call: ServiceClient['call'] = async (path, given) => {
    asked.push(given)
    const page = 'page' in given ? Number(given.page) : 1
    if (page === 1) time += 1
    const pages = times[Math.min(time, times.length - 1)] ?? []
    const { ids, results } = pages[page - 1] ?? { ids: [] }
    const all = pages.reduce((sum, each) => sum + each.ids.length, 0)
    const instances = ids.map((id) => ({ id, name: String(id), status: 1 }))
    const query = { page, limit: 1000, results: results ?? all, pages: pages.length }
    const text = JSON.stringify({ instances, query })
    return { answer: decodeAnswer(path, text), text, receivedAt: 0 as Instant }
  }
  const { signal } = new AbortController()
  const read = (known?: readonly string[]) =>
    readScope(
      fake<ServiceClient>('client', { call }),
      signal,
      known && ((ids) => ids.join(' ') === known.join(' ')),
    )
  return { asked, read }
}

const thousand = (from: number) => Array.from({ length: 1000 }, (_, index) => from + index)

describe('the instances that a token may see', () => {
  it('are read from all pages, without the entry for all of them, in one order', async () => {
    const { asked, read } = listing([{ ids: thousand(2000) }, { ids: thousand(1000) }, { ids: [7] }])
    const ids = await read()
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([2001, '1000', '7'])
    expect(asked).toEqual([1, 2, 3].map((page) => ({ all: false, page, limit: 1000 })))
    expect(await listing([{ ids: [2, 1, 'All%20Instances'], results: 2 }]).read()).toEqual(['1', '2'])
    expect(await listing([{ ids: [] }]).read()).toEqual([])
  })

  it('are read again where the list changed in between', async () => {
    const torn = [{ ids: thousand(1), results: 1001 }, { ids: [1000] }]
    const { asked, read } = listing(torn, [{ ids: thousand(1) }, { ids: [1001] }])
    expect(await read()).toHaveLength(1001)
    expect(asked).toHaveLength(4)
  })

  it('are taken as they are listed where the service counts otherwise each time', async () => {
    expect(await listing([{ ids: [1, 2], results: 5 }]).read()).toEqual(['1', '2'])
    expect(await listing([{ ids: [1, 2], results: 1 }]).read()).toEqual(['1', '2'])
  })

  it('are the others where one has no id, which is no reason to ask again', async () => {
    const { asked, read } = listing([{ ids: [3, null, 1] }])
    expect(await read()).toEqual(['1', '3'])
    expect(asked).toHaveLength(1)
  })

  it('stay what they were where one has no id, or are not known: never fewer', async () => {
    expect(await listing([{ ids: [3, null, 1] }]).read(['1', '3'])).toEqual(['1', '3'])
    await expect(listing([{ ids: [3, null, 1] }]).read(['1', '2', '3'])).rejects.toMatchObject({
      failure: { kind: 'malformed' },
    })
    expect(await listing([{ ids: [3, 1] }]).read(['1', '2', '3'])).toEqual(['1', '3'])
  })

  it('are not known where the list goes on changing, or never ends', async () => {
    const changing = listing(
      [{ ids: [1], results: 9 }],
      [{ ids: [2], results: 9 }],
      [{ ids: [3], results: 9 }],
    )
    await expect(changing.read()).rejects.toMatchObject({ failure: { kind: 'server-trouble' } })
    const endless = Array.from({ length: 101 }, (_, page) => ({ ids: thousand(page * 1000) }))
    await expect(listing(endless).read()).rejects.toMatchObject({ failure: { kind: 'malformed' } })
  })
})
