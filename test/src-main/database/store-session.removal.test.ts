import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cacheFile, cacheSchema } from '#main/database/cache/cache-schema.ts'
import { openHandle } from '#main/database/sqlite/database.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { backupsIn } from '#main/database/state/copies.ts'
import { removeAccount } from '#main/database/state/data-scopes-repository.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { day as dayOf } from '#shared/values/day.ts'
import type { NoteId } from '#shared/watch/notes.ts'
import {
  account,
  answer,
  firstId,
  firstDataScope,
  openFor,
  secondId,
  secondDataScope,
  sessionFor,
  temporaryFolder,
} from './helpers.ts'

const day = 86_400_000

/** Every file of a profile folder in which one of these texts stands. */
function tracesIn(folder: string, texts: readonly string[]): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => {
    const path = join(folder, name)
    return statSync(path).isFile() && texts.some((text) => readFileSync(path).includes(text))
  })
}

const texts = ['Quillfeather', 'Larkspur', 'Marigold', 'Foxglove']

/** A profile with traces everywhere: in both files, a backup, and a damaged file that was set aside. */
function livedIn(): { folder: string; now: () => number } {
  const folder = temporaryFolder()
  let moment = Date.parse('2026-11-16T08:30:00Z')
  const now = () => moment
  const first = sessionFor(folder, { now })
  first.run('accounts/put', account({ name: 'Quillfeather' }))
  first.run('accounts/put', account({ id: secondId, name: 'Second' }))
  first.run('notes/add', {
    account: firstId,
    note: {
      ...{ id: '44444444-4444-4444-8444-444444444444' as NoteId, text: 'Foxglove paused' },
      ...{
        range: { start: dayOf('2026-11-16'), end: dayOf('2026-11-16') },
        subject: { kind: 'account' },
        leavesOut: false,
      },
    },
  })
  first.run('answers/keep', answer({ text: 'Larkspur'.repeat(10_000) }))
  first.run('answers/keep', answer({ text: 'Marigold'.repeat(10_000) }))
  first.run('answers/keep', answer({ dataScope: secondDataScope, text: 'Second text' }))
  first.maintain()
  first.close()
  const bytes = readFileSync(stateFile(folder))
  writeFileSync(stateFile(folder), bytes.fill(0xff, 100, 1000))
  moment += day
  const second = sessionFor(folder, { now })
  second.run('settings/write', { theme: 'dark' })
  second.maintain()
  second.close()
  return { folder, now }
}

describe('removing an account', () => {
  it('leaves no trace of it in the profile folder, while the files are open and after', () => {
    const { folder, now } = livedIn()
    expect(tracesIn(folder, texts).length).toBeGreaterThan(3)
    const session = sessionFor(folder, { now })
    session.run('accounts/remove', firstId)
    expect(tracesIn(folder, texts)).toEqual([])
    expect(session.run('answers/read', { dataScope: secondDataScope, key: answer().key })?.text).toBe(
      'Second text',
    )
    expect(session.run('accounts/list', undefined).map(({ name }) => name)).toEqual(['Second'])
    session.close()
    expect(tracesIn(folder, [...texts, firstId]).sort()).toEqual(
      // The id alone, in backups: should one take the place of the state, the removal is done again.
      backupsIn(folder)
        .map(({ path }) => relative(folder, path))
        .sort(),
    )
  })

  it('that was broken off goes on with the next start', () => {
    const { folder, now } = livedIn()
    const { database, close } = openFor(folder)
    removeAccount(database, firstId)
    close()
    expect(tracesIn(folder, texts)).not.toEqual([])
    const session = sessionFor(folder, { now })
    session.maintain()
    expect(tracesIn(folder, texts)).toEqual([])
    expect(session.run('answers/read', { dataScope: firstDataScope, key: answer().key })).toBeNull()
  })

  it('that a reader holds up is finished later', () => {
    const { folder, now } = livedIn()
    const session = sessionFor(folder, { now })
    session.run('accounts/list', undefined)
    const reader = openHandle(stateFile(folder), { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM accounts').get()
    session.run('accounts/remove', firstId)
    expect(session.run('accounts/list', undefined)).toHaveLength(1)
    reader.close()
    session.maintain()
    expect(tracesIn(folder, texts)).toEqual([])
  })

  it('stays noted where the cache cannot be opened, and is finished when it can', () => {
    const { folder, now } = livedIn()
    const versionOfCache = (version: number) => {
      const handle = openHandle(cacheFile(folder))
      handle.pragma(`user_version = ${version}`)
      handle.close()
    }
    versionOfCache(9000)
    const session = sessionFor(folder, { now })
    session.run('accounts/remove', firstId)
    session.close()
    versionOfCache(currentVersion(cacheSchema))
    expect(tracesIn(folder, texts)).toContain('cache.sqlite')
    sessionFor(folder, { now }).maintain()
    expect(tracesIn(folder, texts)).toEqual([])
  })
})
