import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storeAnswer, letOldestAnswersGo, readAnswer } from '#main/database/cache/answers-repository.ts'
import { CacheFile } from '#main/database/cache/cache-file.ts'
import type { CacheNews } from '#main/database/cache/cache-file.ts'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { answer, firstDataScope, secondDataScope, temporaryFolder } from '../helpers.ts'

function openCache(folder: string, received: CacheNews[] = []): CacheFile {
  const cache = new CacheFile(
    folder,
    (news) => received.push(news),
    () => false,
  )
  onTestFinished(() => cache.close())
  return cache
}

const keep = (cache: CacheFile, key: string, text: string, dataScope = firstDataScope) =>
  cache.run((database) => storeAnswer(database, answer({ key, text, dataScope }), 9_000))
const read = (cache: CacheFile, key: string, dataScope = firstDataScope) =>
  cache.run((database) => readAnswer(database, dataScope, key))?.text

describe('the cache', () => {
  it('is opened with its first use', () => {
    const folder = temporaryFolder()
    const cache = openCache(folder)
    expect(readdirSync(folder)).toEqual([])
    keep(cache, 'a', 'text')
    expect(read(cache, 'a')).toBe('text')
  })

  it('gives back to the disk what was freed', () => {
    const folder = temporaryFolder()
    const cache = openCache(folder)
    for (let number = 0; number < 40; number += 1) keep(cache, `${number}`, 'x'.repeat(400_000))
    cache.close()
    const full = statSync(cacheFile(folder)).size
    expect(full).toBeGreaterThan(16_000_000)
    cache.run((database) => letOldestAnswersGo(database, 800_000))
    cache.run(() => undefined)
    cache.close()
    // What is kept, and 2 MB for what comes next.
    expect(statSync(cacheFile(folder)).size).toBeLessThan(3_500_000)
  })

  it('that is damaged when it is opened begins anew, with nothing set aside', () => {
    const folder = temporaryFolder()
    writeFileSync(cacheFile(folder), 'This is no database at all. '.repeat(100))
    writeFileSync(`${cacheFile(folder)}-wal`, 'nor is this a log')
    const received: CacheNews[] = []
    const cache = openCache(folder, received)
    expect(read(cache, 'a')).toBeUndefined()
    keep(cache, 'a', 'text')
    cache.close()
    expect({ received, files: readdirSync(folder) }).toEqual({
      received: ['renewed'],
      files: ['cache.sqlite'],
    })
    expect(read(openCache(folder), 'a')).toBe('text')
  })

  it('of a newer version is left as it is, and one in memory serves the session', () => {
    const folder = temporaryFolder()
    const handle = openHandle(cacheFile(folder))
    handle.exec('PRAGMA user_version = 900; CREATE TABLE later (a)')
    handle.close()
    const before = readFileSync(cacheFile(folder))
    const received: CacheNews[] = []
    const cache = openCache(folder, received)
    keep(cache, 'a', 'text')
    expect(read(cache, 'a')).toBe('text')
    cache.close()
    expect(received).toEqual(['unopened'])
    expect(readFileSync(cacheFile(folder)).equals(before)).toBe(true)
  })

  it('keeps nothing of a data scope that was removed, also after it began anew', () => {
    const cache = openCache(temporaryFolder())
    keep(cache, 'a', 'text')
    keep(cache, 'a', 'other', secondDataScope)
    cache.forget(firstDataScope)
    expect(keep(cache, 'late', 'text')).toBe(false)
    expect([read(cache, 'a'), read(cache, 'late'), read(cache, 'a', secondDataScope)]).toEqual([
      ...[undefined, undefined, 'other'],
    ])
    cache.renew()
    expect(keep(cache, 'late', 'text')).toBe(false)
    expect(keep(cache, 'b', 'other', secondDataScope)).toBe(true)
  })
})
