import { expect, it } from 'vitest'
import { listAccounts } from '../../src-main/store/accounts-repository.ts'
import { newestAnswers } from '../../src-main/store/answers-repository.ts'
import { isSound, openDatabase } from '../../src-main/store/open-database.ts'
import { listTables } from '../../src-main/store/tables-repository.ts'
import { temporaryFolder } from '../src-main/store/helpers.ts'
import { generation, numbersKept, pagesOfGeneration } from './kept-generations.ts'
import { account, numberOf, textOf } from './kept-texts.ts'
import { keepAndKill } from './writing-child.ts'

it('a process killed in the middle of keeping leaves nothing torn and loses nothing it had kept', async () => {
  const folder = temporaryFolder()
  let last = 0
  for (const howMany of [0, 3, 17, 40, 81]) {
    last = await keepAndKill('keeping-writer.ts', folder, last + 1, howMany)
    const { database, opening, close } = openDatabase(folder)
    const answers = newestAnswers(database, account.id, 'direct/browsers', 100)
    expect(opening).toEqual({ state: 'ready', rebuilt: null })
    expect(listAccounts(database)).toEqual([account])
    expect(answers.every((each) => each.text === textOf(numberOf(each.text)))).toBe(true)
    expect(Math.max(...answers.map((each) => numberOf(each.text)))).toBeGreaterThanOrEqual(last)
    expect(isSound(folder)).toBe(true)
    close()
  }
}, 60_000)

it('a process killed in the middle of keeping a day leaves one generation of it, whole', async () => {
  const folder = temporaryFolder()
  const { account: of, subject } = generation(0)
  let last = 0
  for (const howMany of [0, 2, 5, 11]) {
    last = await keepAndKill('days-writer.ts', folder, last + 1, howMany)
    const { database, close } = openDatabase(folder)
    const [block, ...more] = listTables(database, { account: of, subject })
    expect(more).toEqual([])
    expect(block?.fetchedAt).toBeGreaterThanOrEqual(last)
    expect(numbersKept(database)).toEqual([
      { pages: pagesOfGeneration, numbers: new Set([block?.fetchedAt]) },
    ])
    expect(isSound(folder)).toBe(true)
    close()
    last = block?.fetchedAt ?? last
  }
}, 60_000)
