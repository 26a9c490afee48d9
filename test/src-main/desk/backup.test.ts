import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Desk } from '../../../src-main/desk/desk.ts'
import { temporaryFolder } from '../store/helpers.ts'
import { deskOver, noShell } from './helpers.ts'

/** A desk that saves into a folder of its own, and on which `chosen` is chosen. */
function newDesk(chosen: string | null = null, folder = temporaryFolder()) {
  const downloads = temporaryFolder()
  let restarts = 0
  const shell = {
    ...noShell,
    downloads: () => downloads,
    chooseBackup: () => Promise.resolve(chosen),
    restart: () => void (restarts += 1),
  }
  const desk = deskOver(folder, { shell })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= desk.close())
  onTestFinished(close)
  return { desk, downloads, folder, close, restarts: () => restarts }
}

const accountsOf = async ({ handlers }: Desk) =>
  (await handlers['desk/state'](undefined)).accounts.map(({ name }) => name)

describe('a backup', () => {
  it('is one file for its person alone, without the token, that another desk goes on with', async () => {
    const first = newDesk()
    await first.desk.handlers['accounts/explore-sample'](undefined)
    const { file } = await first.desk.handlers['desk/back-up'](undefined)
    expect(file).toMatch(/^Traffic Desk backup \d{4}-\d\d-\d\d\.desk-backup$/)
    expect(readdirSync(first.downloads)).toEqual([file])
    const path = join(first.downloads, file)
    expect(statSync(path).mode & 0o077).toBe(0)

    const second = newDesk(path)
    expect(await second.desk.handlers['desk/choose-backup'](undefined)).toEqual({ accounts: ['Sample data'] })
    expect(await accountsOf(second.desk)).toEqual([])
    await second.desk.handlers['desk/restore-backup'](undefined)
    expect(second.restarts()).toBe(1)
    await second.close()

    const again = newDesk(null, second.folder)
    expect(await accountsOf(again.desk)).toEqual(['Sample data'])
    const { notices } = await again.desk.handlers['desk/state'](undefined)
    expect(notices.map(({ title }) => title)).toContain('The backup was restored')
  })

  it('that nobody agreed to is forgotten, and changes nothing', async () => {
    const first = newDesk()
    await first.desk.handlers['accounts/explore-sample'](undefined)
    const { file } = await first.desk.handlers['desk/back-up'](undefined)
    const second = newDesk(join(first.downloads, file))
    await second.desk.handlers['desk/choose-backup'](undefined)
    await second.desk.handlers['desk/drop-backup'](undefined)
    await expect(second.desk.handlers['desk/restore-backup'](undefined)).rejects.toMatchObject({
      failure: { kind: 'disk' },
    })
    expect(second.restarts()).toBe(0)
    await second.close()
    expect(await accountsOf(newDesk(null, second.folder).desk)).toEqual([])
  })

  it('is not chosen where the person thought better of it, nor where the file is none', async () => {
    expect(await newDesk().desk.handlers['desk/choose-backup'](undefined)).toBeNull()
    const folder = temporaryFolder()
    const text = join(folder, 'letter.desk-backup')
    writeFileSync(text, 'Dear Sir or Madam')
    const message = 'This file is no backup of Traffic Desk.'
    for (const path of [folder, text]) {
      const { desk } = newDesk(path)
      await expect(desk.handlers['desk/choose-backup'](undefined)).rejects.toMatchObject({
        failure: { kind: 'invalid', message },
      })
    }
    const gone = newDesk(join(folder, 'gone.desk-backup')).desk.handlers['desk/choose-backup'](undefined)
    await expect(gone).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    expect(readFileSync(text, 'utf8')).toBe('Dear Sir or Madam')
  })
})
