import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { listAccounts } from '../../src-main/store/accounts-repository.ts'
import { newestAnswers } from '../../src-main/store/answers-repository.ts'
import { isSound, openDatabase } from '../../src-main/store/open-database.ts'
import { account, numberOf, textOf } from './kept-texts.ts'

const writer = join(import.meta.dirname, 'keeping-writer.ts')

/**
 * Lets a process keep answers, and kills it with no warning while it goes on.
 * @returns the last number that it said was kept
 */
async function keepAndKill(folder: string, from: number, howMany: number): Promise<number> {
  const child = spawn(process.execPath, [writer, folder, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let last = -1
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    if (last >= from + howMany) child.kill('SIGKILL')
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  return last
}

it('a process killed in the middle of keeping leaves nothing torn and loses nothing it had kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-killed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  let last = 0
  for (const howMany of [0, 3, 17, 40, 81]) {
    last = await keepAndKill(folder, last + 1, howMany)
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
