import { expect, it } from 'vitest'
import { cacheFile } from '../../src-main/figures/cache/cache-schema.ts'
import { listTables } from '../../src-main/figures/cache/tables-repository.ts'
import { isSound } from '../../src-main/lib/sqlite/open-file.ts'
import { stateFile } from '../../src-main/state/schema.ts'
import { openCacheFor, sessionFor, temporaryFolder } from '../src-main/store/helpers.ts'
import { generation, numbersKept, pagesOfGeneration } from './kept-generations.ts'
import { account, numberOf, owner, textOf } from './kept-texts.ts'
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

it('a process killed in the middle of keeping a day leaves one generation of it, whole', async () => {
  const folder = temporaryFolder()
  const { owner: of, subject } = generation(0)
  let last = 0
  for (const howMany of [0, 2, 5, 11]) {
    last = await keepAndKill('days-writer.ts', folder, last + 1, howMany)
    const { database, close } = openCacheFor(folder)
    const [block, ...more] = listTables(database, { owner: of, subject })
    expect(more).toEqual([])
    expect(block?.fetchedAt).toBeGreaterThanOrEqual(last)
    expect(numbersKept(database)).toEqual([
      { pages: pagesOfGeneration, numbers: new Set([block?.fetchedAt]) },
    ])
    expect(isSound(cacheFile(folder))).toBe(true)
    close()
    last = block?.fetchedAt ?? last
  }
}, 60_000)
