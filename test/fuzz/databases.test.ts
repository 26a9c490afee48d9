import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { headerSize } from '#main/database/sqlite/open-file.ts'
import { listAccounts, putAccount } from '#main/database/state/accounts-repository.ts'
import { agreeToBackup, dropBackup, writeBackup } from '#main/database/state/moving.ts'
import type { StateNews } from '#main/database/state/state-file.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { writeLayout, writeSettings } from '#main/database/state/settings-repository.ts'
import { StateFile } from '#main/database/state/state-file.ts'
import { chosenFigures } from '#main/database/restored-figures.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { backUp, choose, filesIn, pathFor, putFigures } from '#test/src-main/backup/made-backups.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '../src-main/database/helpers.ts'
import { flipped } from './mutate.ts'
import { surroundings } from './surroundings.ts'

const rounds = runs(60, 10_000)

function openState(folder: string, heard: StateNews[] = []): StateFile {
  const state = new StateFile(
    folder,
    () => 0,
    (news) => heard.push(news),
  )
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
      writeLayout(database, {
        report: `direct/${report}`,
        layout: { order: [`Column ${report}`], hidden: [], widths: {} },
      })
  })
  const file = join(folder, 'sound')
  writeBackup(state.open.handle, file)
  state.close()
  return readFileSync(file)
}

/** Bits turned anywhere, or in every fourth file in the header alone, which says how long the file is and what is in it. */
function damaged(sound: Buffer, round: number, random: () => number): Buffer {
  if (round % 4 > 0) return flipped(sound, random)
  return Buffer.concat([flipped(sound.subarray(0, headerSize), random), sound.subarray(headerSize)])
}

it('states with turned bits are refused as backups in words, or restored, and nothing else', async () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const sound = soundState()
  const ends = new Map<string, number>()
  const root = temporaryFolder()
  const given = join(temporaryFolder(), 'given')
  for (let round = 0; round < rounds; round += 1) {
    const folder = join(root, `profile-${round}`)
    mkdirSync(folder)
    writeFileSync(given, damaged(sound, round, random))
    const end = await choose(folder, given).then(
      () => 'whole',
      (error: unknown) => {
        dropBackup(folder)
        if (error instanceof DeskFailure && error.failure.kind === 'invalid') return 'refused'
        throw new Error(`Backup ${round} of seed ${seed} broke it`, { cause: error })
      },
    )
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
  around.check([])
}, 900_000)

it('backups with turned bits are refused in words, or are whole files of the history', async () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const source = temporaryFolder()
  const from = sessionFor(source, { now: () => 0 })
  from.run('accounts/put', account())
  const bytes = 'x'.repeat(40_000)
  for (const id of ['1', '2', '3', '4']) putFigures(source, id + bytes, firstId, { id })
  const made = join(source, 'made')
  await backUp(from, source, made)
  const sound = readFileSync(made)
  const ends = new Map<string, number>()
  const root = temporaryFolder()
  for (let round = 0; round < rounds / 3; round += 1) {
    const folder = join(root, `profile-${round}`)
    mkdirSync(folder)
    const file = join(folder, 'given')
    // In every other file the directory and what the manifest says, which say where and how large everything is.
    const from = round % 2 ? 0 : sound.lastIndexOf('manifest.json', sound.indexOf('PK\x01\x02')) - 30
    writeFileSync(file, Buffer.concat([sound.subarray(0, from), flipped(sound.subarray(from), random)]))
    const end = await choose(folder, file).then(
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
    rmSync(folder, { recursive: true })
    expect(readdirSync(root)).toEqual([])
  }
  expect(ends.get('refused')).toBeGreaterThan(0)
  around.check([])
}, 900_000)

it('a state with turned bits opens as it is, or is set aside as it is', () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const sound = soundState()
  const ends = new Map<string, number>()
  const root = temporaryFolder()
  for (let round = 0; round < rounds; round += 1) {
    const folder = join(root, `profile-${round}`)
    mkdirSync(folder)
    const given = damaged(sound, round, random)
    writeFileSync(stateFile(folder), given)
    // Damage is found at the opening, or when the page is read that has it.
    const heard: StateNews[] = []
    const state = openState(folder, heard)
    const { opening } = state
    const accounts = state.run(listAccounts)
    state.close()
    const [news = null] = opening.kind === 'ready' && opening.news ? [opening.news] : heard
    const end = news?.kind ?? opening.kind
    ends.set(end, (ends.get(end) ?? 0) + 1)
    const what = `state ${round} of seed ${seed}`
    /** Whether a file has all that was there; that it gets a write-ahead log is written into the header. */
    const keeps = (file: string) => readFileSync(file).subarray(headerSize).equals(given.subarray(headerSize))
    if (news?.kind === 'restored') {
      expect(accounts, what).toEqual([])
      expect(keeps(join(folder, news.movedTo ?? '')), what).toBe(true)
    } else if (end === 'newer' || end === 'incompatible') expect(keeps(stateFile(folder)), what).toBe(true)
    else {
      expect(end, what).toBe('ready')
      expect(accounts.length, what).toBeLessThanOrEqual(2)
      expect(readdirSync(folder), what).toEqual([basename(stateFile(folder))])
    }
    rmSync(folder, { recursive: true })
    expect(readdirSync(root)).toEqual([])
  }
  console.log(ends)
  for (const end of ['ready', 'restored']) expect(ends.get(end)).toBeGreaterThan(rounds / 20)
  around.check([])
}, 900_000)
