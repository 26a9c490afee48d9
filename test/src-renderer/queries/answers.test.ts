import { QueryClient } from '@tanstack/svelte-query'
import { describe, expect, it } from 'vitest'
import { CallFailed, answerOf, failureOf, taken, withMoved } from '#renderer/queries/answers.ts'
import { publicationOf } from '#renderer/queries/publishing.ts'
import { account, FakeDesk, failed, good, notPublished } from '../helpers/fake-desk.ts'

describe('an outcome of a call', () => {
  it('is its value, or the failure thrown', async () => {
    expect(await answerOf(Promise.resolve(good(7)))).toBe(7)
    const thrown = await answerOf(Promise.resolve(failed('offline'))).catch((error: unknown) => error)
    expect(thrown instanceof CallFailed && thrown.failure).toEqual(failed('offline').failure)
  })

  it('of a change is why nothing changed, or nothing', async () => {
    expect(await failureOf(Promise.resolve(good(7)))).toBeNull()
    expect(await failureOf(Promise.resolve(failed('disk')))).toEqual(failed('disk').failure)
  })
})

describe('a change that brings what a query answers', () => {
  const of = publicationOf(new FakeDesk().bridge, account.id)
  const before = notPublished(account.id)
  const after = { ...before, folder: '/team' }

  it('is its answer from now on', async () => {
    const queries = new QueryClient()
    queries.setQueryData(of.queryKey, before)
    expect(await taken(queries, of, Promise.resolve(good(after)))).toBeNull()
    expect(queries.getQueryData(of.queryKey)).toEqual(after)
  })

  it('leaves it as it was where it failed, or a person thought better of it', async () => {
    const queries = new QueryClient()
    queries.setQueryData(of.queryKey, before)
    expect(await taken(queries, of, Promise.resolve(failed('disk')))).toEqual(failed('disk').failure)
    expect(await taken(queries, of, Promise.resolve(good(null)))).toBeNull()
    expect(queries.getQueryData(of.queryKey)).toEqual(before)
  })
})

describe('moving in a list', () => {
  const list = ['a', 'b', 'c'].map((id) => ({ id }))
  const ids = (moved: readonly { id: string }[] | null) => moved?.map(({ id }) => id).join('')

  it.each([
    ['a', 1, 'bac'],
    ['a', 9, 'bca'],
    ['c', -1, 'acb'],
    ['a', -1, undefined],
    ['x', 1, undefined],
  ])('%s by %d', (id, by, expected) => {
    expect(ids(withMoved(list, id, by))).toBe(expected)
  })
})
