import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cacheFile } from '../../src-main/figures/cache/cache-schema.ts'
import { isSound } from '../../src-main/lib/sqlite/open-file.ts'
import { stateFile } from '../../src-main/state/schema.ts'
import { account, numberOf, owner, textOf } from './kept-texts.ts'
import { startEngine } from '../../src-main/figures/engine/engine.ts'
import type { Engine } from '../../src-main/figures/engine/engine.ts'
import { History } from '../../src-main/figures/history/history.ts'
import type { Line } from '../../src-main/lib/rpc.ts'
import { sessionFor, temporaryFolder } from '../src-main/store/helpers.ts'
import { asked, figuresOf } from '../src-main/figures/engine/tables.ts'
import { engineChildLine } from '../src-main/figures/engine/engine-thread.ts'
import { daysKept, generation, historyIn, place, rowsOfGeneration } from './kept-generations.ts'
import { keepAndKill } from './writing-child.ts'

it('a process killed in the middle of keeping leaves nothing torn and loses nothing it had kept', async () => {
  const folder = temporaryFolder()
  let last = 0
  for (const howMany of [0, 3, 17, 40, 81]) {
    last = await keepAndKill('keeping-writer.ts', folder, last + 1, howMany)
    const session = sessionFor(folder)
    const answers = session.run('answers/newest', { owner, path: 'direct/browsers', most: 100 })
    expect(session.opening).toEqual({ state: 'ready', news: null })
    expect(session.run('accounts/list', undefined)).toEqual([account])
    const { lastView } = session.run('settings/read', undefined)
    expect(Number(lastView?.slice(2))).toBeGreaterThanOrEqual(last)
    expect(answers.every((each) => each.text === textOf(numberOf(each.text)))).toBe(true)
    expect(Math.max(...answers.map((each) => numberOf(each.text)))).toBeGreaterThanOrEqual(last)
    expect([stateFile, cacheFile].map((file) => isSound(file(folder)))).toEqual([true, true])
    session.close()
  }
}, 60_000)

it('a process killed in the middle of keeping days, or of writing them into one file, leaves each day whole', async () => {
  const folder = temporaryFolder()
  let last = 0
  for (const howMany of [0, 2, 5, 9, 13]) {
    const from = last + 1
    last = await keepAndKill('days-writer.ts', folder, from, howMany)
    const { history, store, engine, root } = historyIn(folder)
    const files = () =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))
    const wholeDays = async () => {
      const kept = await history.list(place)
      for (const table of kept) {
        const computed = await engine.call('table', {
          tables: [table],
          query: asked({ limit: rowsOfGeneration }),
        })
        const { table: read } = figuresOf(computed)
        expect(read.rows).toHaveLength(rowsOfGeneration)
        expect(new Set(read.rows.map(({ cells }) => cells[0]))).toEqual(new Set([table.fetchedAt]))
        expect(read.all?.cells).toEqual([table.fetchedAt])
      }
      return kept
    }
    const kept = await wholeDays()
    const numbers = kept.map(({ fetchedAt }) => fetchedAt as number)
    expect(new Set(numbers.map((number) => number % daysKept)).size).toBe(numbers.length)
    for (let number = Math.max(1, last - daysKept + 1); number <= last; number += 1)
      expect(numbers.some((each) => each >= number && each % daysKept === number % daysKept)).toBe(true)
    const catalogued = await store.run('tables/files', undefined)
    expect(files()).toEqual(expect.arrayContaining([...catalogued]))
    // What was written and not catalogued any more counts as kept.
    const week = 8 * 24 * 60 * 60 * 1000
    await history.rebuild(new AbortController().signal, () => Date.now() + week)
    const after = await wholeDays()
    for (const { fetchedAt, range } of kept)
      expect(after.find((each) => each.range.start === range.start)?.fetchedAt).toBeGreaterThanOrEqual(
        fetchedAt,
      )
    expect(files().sort()).toEqual([...(await store.run('tables/files', undefined))].sort())
    await engine.close()
    await store.close()
    expect(isSound(cacheFile(folder))).toBe(true)
    last = Math.max(last, ...after.map(({ fetchedAt }) => fetchedAt))
  }
}, 120_000)

it('an engine killed in the middle of keeping fails that call alone, and leaves nothing half written', async () => {
  const folder = temporaryFolder()
  const { store, root, engine: reader } = historyIn(folder)
  const lines: Line[] = []
  const open = () => {
    const line = engineChildLine(root)
    lines.push(line)
    return line
  }
  const engine = startEngine({ open })
  let calls = 0
  const spied: Pick<Engine, 'call'> = {
    call: (name, argument) => {
      const answer = engine.call(name, argument)
      // Each time at another call of those that keeping a table takes.
      if ((calls += 1) % 7 === 0) void Promise.resolve().then(() => lines.at(-1)?.kill())
      return answer
    },
  }
  const history = new History({ store, state: store, zoneOf: () => null, engine: spied, folder: root })
  const kept = new Set<number>()
  for (let number = 1; number <= 20; number += 1)
    await history.keep(generation(number)).then(
      () => kept.add(number),
      (error: unknown) => expect(error).toMatchObject({ failure: { kind: 'internal' } }),
    )
  expect(kept.size).toBeGreaterThan(0)
  expect(kept.size).toBeLessThan(20)
  for (const table of await history.list(place)) {
    expect(kept).toContain(table.fetchedAt)
    const computed = await reader.call('table', {
      tables: [table],
      query: asked({ limit: rowsOfGeneration }),
    })
    expect(figuresOf(computed).table.rows).toHaveLength(rowsOfGeneration)
  }
  await Promise.all([engine.close(), reader.close()])
  await store.close()
}, 60_000)
