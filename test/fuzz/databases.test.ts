import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listAccounts, putAccount } from '../../src-main/state/accounts-repository.ts'
import { agreeToBackup, checkBackup, chosenFile, writeBackup } from '../../src-main/state/moving.ts'
import { stateFile } from '../../src-main/state/schema.ts'
import { writeLayout, writeSettings } from '../../src-main/state/settings-repository.ts'
import { StateFile } from '../../src-main/state/state-file.ts'
import { chosenFigures } from '../../src-main/store/restored-figures.ts'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { backUp, choose, filesIn, pathFor, putFigures } from '../src-main/store/backup-with-figures.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '../src-main/store/helpers.ts'
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

it('saved figures in backups with turned bits are refused in words, or are whole files of the history', async () => {
  const random = randomFrom(seed)
  const source = temporaryFolder()
  const from = sessionFor(source, { now: () => 0 })
  from.run('accounts/put', account())
  const bytes = 'x'.repeat(40_000)
  const paths = ['1', '2', '3', '4'].map((id) => putFigures(source, id + bytes, firstId, { id }))
  const made = join(source, 'made')
  await backUp(from, source, made, paths)
  const sound = readFileSync(made)
  const state = sound.indexOf('Traffic Desk saved figures')
  const ends = new Map<string, number>()
  const root = temporaryFolder()
  for (let round = 0; round < rounds / 3; round += 1) {
    const folder = join(root, `profile-${round}`)
    mkdirSync(folder)
    const file = join(folder, 'given')
    writeFileSync(file, Buffer.concat([sound.subarray(0, state), flipped(sound.subarray(state), random)]))
    const session = sessionFor(folder, { now: () => 0 })
    const end = await choose(session, folder, file).then(
      (found) => (found === null ? 'none' : 'whole'),
      (error: unknown) => {
        if (error instanceof DeskFailure && error.failure.kind === 'invalid') return 'refused'
        throw new Error(`Backup ${round} of seed ${seed} broke it`, { cause: error })
      },
    )
    ends.set(end, (ends.get(end) ?? 0) + 1)
    if (end === 'whole')
      for (const [path, content] of Object.entries(filesIn(chosenFigures(folder))))
        expect(pathFor(content, firstId).slice(-16)).toBe(path.slice(-16))
    session.close()
    rmSync(folder, { recursive: true })
    expect(readdirSync(root)).toEqual([])
  }
  expect(ends.get('refused')).toBeGreaterThan(0)
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
