import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync, existsSync, mkdirSync } from 'node:fs'
import { tmpdir, homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, afterAll } from 'vitest'
import { commitOf, versionAnswer, versionWords, problemReport } from '#main/shell/about.ts'
import { openLog } from '#main/shell/log.ts'

describe('version', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'version-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  describe('the commit', () => {
    it('of a package is the one that was written into it', () => {
      writeFileSync(join(folder, 'package.json'), '{"name":"traffic-desk","commit":"c0ffee+"}')
      expect(commitOf(folder, true)).toBe('c0ffee+')
    })

    it.each([['{"name":"traffic-desk"}'], ['{"commit":7}'], ['no description']])(
      'is not known from %s',
      (written) => {
        writeFileSync(join(folder, 'package.json'), written)
        expect(commitOf(folder, true)).toBeNull()
      },
    )

    it('of a checkout is what git says', () => {
      expect(commitOf(folder, false)).toBeNull()
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
      git('init', '--quiet')
      const who = ['-c', 'user.name=A', '-c', 'user.email=a@b.example', '-c', 'commit.gpgsign=false']
      git(...who, 'commit', '--quiet', '--allow-empty', '--message=First')
      expect(commitOf(folder, false)).toBe(git('log', '-1', '--format=%H'))
    })
  })

  describe('--version', () => {
    it('names version, commit, runtime and where the licences are', () => {
      const commit = `${'0123456789ab'.padEnd(40, 'c')}+`
      expect(versionWords('1.2.3', commit)).toBe('1.2.3, commit 0123456789ab+')
      expect(versionWords('1.2.3', null)).toBe('1.2.3')
      expect(versionAnswer('1.2.3', commit, 'Electron 45')).toMatch(
        /^Traffic Desk 1\.2\.3, commit 0123456789ab\+\nElectron 45\nLicences are in /,
      )
    })
  })
})

describe('a problem report', () => {
  const folder = mkdtempSync(join(tmpdir(), 'problem-report-'))
  const log = join(folder, 'desk.log')
  afterEach(() => {
    for (const file of [log, `${log}.old`]) rmSync(file, { force: true, recursive: true })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const facts = {
    version: '1.2.3',
    commit: 'c0ffee',
    runtime: 'Electron 45',
    system: 'Linux 6, x64',
    accounts: ['Acme', 'Acme & Sons'],
    diagnostics: { days: 28, views: 4, reports: { ready: 2 }, downloads: {}, failures: [] },
    notices: ['store-unwritable (trouble)'],
    now: Date.UTC(2026, 10, 20, 9, 30),
  }

  it('holds versions, counts, notices and the log', async () => {
    writeFileSync(log, 'one\ntwo\n')
    expect((await problemReport(facts, log)).split('\n')).toEqual([
      'Traffic Desk 1.2.3, commit c0ffee',
      'Electron 45',
      'Linux 6, x64',
      '2026-11-20T09:30:00.000Z',
      '',
      'Counts',
      'Accounts: 2',
      'Saved days: 28',
      'Views: 4',
      'Raw reports: 2, 2 ready',
      'Downloads: 0',
      '',
      'Failures',
      'none',
      '',
      'Notices',
      'store-unwritable (trouble)',
      '',
      'Log',
      'one',
      'two',
    ])
  })

  it('holds what was forgiven in answers, where anything was', async () => {
    writeFileSync(log, 'one\n')
    const text = await problemReport({ ...facts, forgiven: ['Account 1: a zero date'] }, log)
    expect(text).toContain(
      '\nstore-unwritable (trouble)\n\nForgiven in answers\nAccount 1: a zero date\n\nLog\none',
    )
  })

  it('leaves out what accounts are called', async () => {
    writeFileSync(log, 'Acme & Sons is not Acme\n')
    expect(await problemReport(facts, log)).toMatch(/\naccount 2 is not account 1$/)
  })

  it('names neither tokens nor queries of addresses nor the home folder', async () => {
    writeFileSync(log, `token=secret-of-mine https://a.example/x?key=hidden ${homedir()}/profile\n`)
    const text = await problemReport(facts, log)
    expect(text).not.toMatch(/secret-of-mine|hidden/)
    expect(text).not.toContain(homedir())
    expect(text).toContain('~/profile')
    // An account may be called as a part of it is.
    const accounts = [
      homedir()
        .split(/[\\/]/)
        .findLast((part) => part.length > 2) ?? '',
    ]
    expect(await problemReport({ ...facts, accounts }, log)).toContain('~/profile')
  })

  it('holds the end of a long log, in whole lines', async () => {
    writeFileSync(log, Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join('\n'))
    const text = await problemReport(facts, log)
    expect(text.length).toBeLessThan(61_000)
    expect(text).toMatch(/\nLog\nline \d+\n/)
    expect(text.endsWith('line 19999')).toBe(true)
  })

  it('goes back into what the log put aside as it grew, in whole lines and no further than in one log', async () => {
    writeFileSync(log, Array.from({ length: 30_000 }, (_, line) => `line ${line}\n`).join(''))
    const written = openLog(log, () => facts.now)
    written('desk', 'too long')
    await written.written()
    expect(existsSync(log)).toBe(false)
    expect(await problemReport(facts, log)).toMatch(/line 29999\n\S+ desk: too long$/)
    written('desk', 'new')
    await written.written()
    const text = await problemReport(facts, log)
    expect(text).toMatch(/line 29999\n\S+ desk: too long\n\S+ desk: new$/)
    expect(text).toMatch(/\nLog\nline \d+\n/)
    expect(text.length).toBeLessThan(61_000)
  })

  it('tells a log that is not there yet from one that cannot be read', async () => {
    expect(await problemReport(facts, log)).toContain('\nLog\nempty')
    mkdirSync(log, { recursive: true })
    expect(await problemReport(facts, log)).toContain('\nLog\nIt cannot be read.')
  })
})
