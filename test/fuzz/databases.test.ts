import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listAccounts, putAccount } from '../../src-main/state/accounts-repository.ts'
import { agreeToBackup, checkBackup, chosenFile, writeBackup } from '../../src-main/state/moving.ts'
import { stateFile } from '../../src-main/state/schema.ts'
import { writeLayout, writeSettings } from '../../src-main/state/settings-repository.ts'
import { StateFile } from '../../src-main/state/state-file.ts'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { account, firstId, secondId, temporaryFolder } from '../src-main/store/helpers.ts'
import { flipped } from './mutate.ts'

const rounds = runs(60, 5000)

function openState(folder: string): StateFile {
  const state = new StateFile({ folder, now: () => 0, onNews: () => undefined })
  onTestFinished(() => state.close())
  return state
}

/** A state's bytes as they lie on the disk, with rows on several pages. */
function soundState(): Buffer {
  const folder = temporaryFolder()
  const state = openState(folder)
  state.run((database) => {
    for (const [id, name] of [
      [firstId, 'First'],
      [secondId, 'Second'],
    ] as const)
      putAccount(database, account({ id, name }))
    writeSettings(database, { theme: 'dark', lastView: 'x'.repeat(6000) })
    for (let report = 0; report < 60; report += 1)
      writeLayout(database, `direct/${report}`, { order: [`Column ${report}`], hidden: [], widths: {} })
  })
  const file = join(folder, 'sound')
  writeBackup(state.open.handle, file)
  state.close()
  return readFileSync(file)
}

it('backups with turned bits are refused in words, or restored, and nothing else', () => {
  const random = randomFrom(seed)
  const sound = soundState()
  const ends = new Map<string, number>()
  const root = temporaryFolder()
  for (let round = 0; round < rounds; round += 1) {
    const folder = join(root, `profile-${round}`)
    mkdirSync(folder)
    writeFileSync(chosenFile(folder), flipped(sound, random))
    const end = (() => {
      try {
        checkBackup(folder, 0)
        return 'whole'
      } catch (error) {
        if (error instanceof DeskFailure && error.failure.kind === 'invalid') return 'refused'
        throw new Error(`Backup ${round} of seed ${seed} broke it`, { cause: error })
      }
    })()
    ends.set(end, (ends.get(end) ?? 0) + 1)
    if (end === 'whole') {
      agreeToBackup(folder)
      const state = openState(folder)
      expect(state.opening, `backup ${round}`).toMatchObject({ news: { kind: 'moved' } })
      state.close()
    } else expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
    expect(readdirSync(root)).toEqual([])
  }
  expect([...ends.keys()].sort()).toEqual(['refused', 'whole'])
}, 900_000)

it('a state with turned bits opens as it is, or is set aside', () => {
  const random = randomFrom(seed)
  const sound = soundState()
  const root = temporaryFolder()
  for (let round = 0; round < rounds; round += 1) {
    const folder = join(root, `profile-${round}`)
    mkdirSync(folder)
    writeFileSync(stateFile(folder), flipped(sound, random))
    const state = openState(folder)
    const names = (() => {
      try {
        return state.run(listAccounts).map(({ name }) => name)
      } catch (error) {
        if (error instanceof DeskFailure) return []
        throw new Error(`State ${round} of seed ${seed} broke it`, { cause: error })
      }
    })()
    expect(names.length).toBeLessThanOrEqual(2)
    state.close()
    rmSync(folder, { recursive: true })
    expect(readdirSync(root)).toEqual([])
  }
}, 900_000)
