import { expect, it } from 'vitest'
import { cacheFile } from '#main/database/cache/cache-schema.ts'
import { isSound } from '#main/database/sqlite/open-file.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { account, numberOf, dataScope, textOf } from './kept-texts.ts'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { sessionFor, temporaryFolder } from '../src-main/database/helpers.ts'
import { asked, figuresOf } from '../src-main/reports/engine/tables.ts'
import { engineChildChannel } from '../src-main/reports/engine/engine-thread.ts'
import { generation, historyIn, place, rowsOfGeneration } from './kept-generations.ts'
import { keepAndKill } from './writing-child.ts'
import { fake } from '#test/helpers/fake.ts'
import { historyOver } from '#test/src-main/reports/history/history-over.ts'

it('a process killed in the middle of keeping leaves nothing torn and loses nothing it had kept', async () => {
  const folder = temporaryFolder()
  let last = 0
  for (const howMany of [0, 3, 17, 40, 81]) {
    last = await keepAndKill('keeping-writer.ts', folder, last + 1, howMany)
    const session = sessionFor(folder)
    const answers = session.run('answers/newest', { dataScope, path: 'direct/browsers', max: 100 })
    expect(session.opening).toEqual({ kind: 'ready', news: null })
    expect(session.run('accounts/list', undefined)).toEqual([account])
    const { lastView } = session.run('settings/read', undefined)
    expect(Number(lastView?.slice(2))).toBeGreaterThanOrEqual(last)
    expect(answers.every((each) => each.text === textOf(numberOf(each.text)))).toBe(true)
    expect(Math.max(...answers.map((each) => numberOf(each.text)))).toBeGreaterThanOrEqual(last)
    expect([stateFile, cacheFile].map((file) => isSound(file(folder)))).toEqual([true, true])
    session.close()
  }
}, 60_000)

it('an engine killed in the middle of keeping fails that call alone, and leaves nothing half written', async () => {
  const folder = temporaryFolder()
  const { store, root, engine: reader } = historyIn(folder)
  const channels: Channel[] = []
  const open = () => {
    const channel = engineChildChannel(root)
    channels.push(channel)
    return channel
  }
  const engine = startEngine({ open })
  let calls = 0
  const spied = fake<Engine>('engine', {
    mayRest: (may) => engine.mayRest(may),
    call: (name, argument) => {
      const answer = engine.call(name, argument)
      // Each time at another call of those that keeping a table takes.
      if ((calls += 1) % 7 === 0) void Promise.resolve().then(() => channels.at(-1)?.kill())
      return answer
    },
  })
  const history = historyOver({ store, engine: spied, historyFolder: root })
  const stored = new Set<number>()
  for (let number = 1; number <= 20; number += 1)
    await history.save(generation(number)).then(
      () => stored.add(number),
      (error: unknown) => expect(error).toMatchObject({ failure: { kind: 'internal' } }),
    )
  expect(stored.size).toBeGreaterThan(0)
  expect(stored.size).toBeLessThan(20)
  for (const table of await history.list(place)) {
    expect(stored).toContain(table.fetchedAt)
    const computed = await reader.call('table', {
      tables: [table],
      query: asked({ limit: rowsOfGeneration }),
    })
    expect(figuresOf(computed).table.rows).toHaveLength(rowsOfGeneration)
  }
  await Promise.all([engine.close(), reader.close()])
  await store.close()
}, 60_000)
