import { describe, expect, it } from 'vitest'
import { storeAnswer, newestAnswers, readAnswer } from '#main/database/cache/answers-repository.ts'
import type { Instant } from '#shared/values/ids.ts'
import { answer, firstDataScope, openCacheFor, secondDataScope, temporaryFolder } from '../helpers.ts'

const key = answer().key
const emptyCache = () => openCacheFor(temporaryFolder()).database

describe('answers', () => {
  it('keep their text to the letter', () => {
    const database = emptyCache()
    const text = '{"a":"é 中 \\u0000 %zz","b":"\u{1f600}"}'
    expect(storeAnswer(database, answer({ text }), 2_000)).toBe(true)
    expect(readAnswer(database, firstDataScope, key)).toEqual({ key, fetchedAt: 1_000, text, madeOf: '' })
    expect(database.row('SELECT path, first_day, last_day FROM answers')).toEqual({
      path: 'direct/browsers',
      first_day: '2026-11-01',
      last_day: '2026-11-07',
    })
  })

  it('belong to one data scope', () => {
    const database = emptyCache()
    storeAnswer(database, answer(), 2_000)
    expect(readAnswer(database, secondDataScope, key)).toBeNull()
    expect(readAnswer(database, firstDataScope, 'other')).toBeNull()
  })

  it('are replaced by newer ones, never by older ones', () => {
    const database = emptyCache()
    const at = (time: number, text: string) => answer({ fetchedAt: time as Instant, text })
    storeAnswer(database, at(1_000, 'first'), 9_000)
    expect(storeAnswer(database, at(3_000, 'third'), 9_000)).toBe(true)
    expect(storeAnswer(database, at(2_000, 'second'), 9_000)).toBe(false)
    expect(readAnswer(database, firstDataScope, key)?.text).toBe('third')
  })

  it('from a time to come give way, because the clock was set back', () => {
    const database = emptyCache()
    storeAnswer(database, answer({ fetchedAt: 50_000 as Instant, text: 'tomorrow' }), 60_000)
    expect(
      storeAnswer(database, answer({ fetchedAt: 2_000 as Instant, text: 'today', madeOf: '' }), 2_000),
    ).toBe(true)
    expect(readAnswer(database, firstDataScope, key)).toEqual({
      key,
      fetchedAt: 2_000,
      text: 'today',
      madeOf: '',
    })
  })

  it('of one endpoint are listed newest first', () => {
    const database = emptyCache()
    const page = (number: number) =>
      answer({
        key: `interface/instances?page=${number}`,
        path: 'interface/instances',
        range: null,
        fetchedAt: number as Instant,
      })
    for (const number of [2, 3, 1]) storeAnswer(database, page(number), 2_000)
    storeAnswer(database, answer(), 2_000)
    const keys = newestAnswers(database, {
      dataScope: firstDataScope,
      path: 'interface/instances',
      max: 2,
    }).map((each) => each.key)
    expect(keys).toEqual(['interface/instances?page=3', 'interface/instances?page=2'])
  })
})
