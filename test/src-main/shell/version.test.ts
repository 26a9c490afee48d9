import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commitOf, versionAnswer, versionWords } from '#main/shell/version.ts'

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
      /^Traffic Desk 1\.2\.3, commit 0123456789ab\+\nElectron 45\nLicences: /,
    )
  })
})
