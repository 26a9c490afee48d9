import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderTrouble, chooseProfileFolder } from '#main/shell/profile-folder.ts'

let top = ''
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'desk-profile-'))
})
afterEach(() => {
  rmSync(top, { recursive: true })
})

/** As much of Electron's `app` as is asked: the switch that was given, and the paths that were set. */
function fakeApp(given: string) {
  const paths: Record<string, string> = { userData: join(top, 'usual') }
  const atEnd: (() => void)[] = []
  return {
    paths,
    end: () => {
      atEnd.forEach((each) => {
        each()
      })
    },
    commandLine: { getSwitchValue: (name: string) => (name === 'user-data-dir' ? given : '') },
    getPath: (name: string) => paths[name] ?? '',
    setPath: (name: string, path: string) => void (paths[name] = path),
    on: (_: string, listener: () => void) => void atEnd.push(listener),
  }
}

const settle = (app: ReturnType<typeof fakeApp>) =>
  // Electron's own types have many more members than are used here.
  chooseProfileFolder(app as unknown as Parameters<typeof chooseProfileFolder>[0])

describe('the profile folder', () => {
  it('is made, for its owner alone, and left empty', () => {
    const folder = join(top, 'a', 'b')
    expect(folderTrouble(folder)).toBeNull()
    expect(readdirSync(folder)).toEqual([])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('is shut to others where it let them in', () => {
    const folder = join(top, 'open')
    mkdirSync(folder, { mode: 0o755 })
    expect(folderTrouble(folder)).toBeNull()
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('is the one that was given, for the browser too', () => {
    const app = fakeApp(join(top, 'given'))
    expect(settle(app)).toEqual({ folder: join(top, 'given'), trouble: null })
    expect(app.paths).toMatchObject({ userData: join(top, 'given'), sessionData: join(top, 'given') })
  })

  it("is the platform's own where none was given", () => {
    expect(settle(fakeApp('')).folder).toBe(join(top, 'usual'))
  })

  it('is named where a file is in its place, and the browser gets another for the session', () => {
    const file = join(top, 'file')
    writeFileSync(file, 'mine')
    const app = fakeApp(join(file, 'profile'))
    const { folder, trouble } = settle(app)
    expect(folder).toBe(join(file, 'profile'))
    expect(trouble?.text).toContain(folder)
    expect(trouble?.text).toContain("has this folder's name")
    const session = app.paths['userData'] ?? ''
    expect(session).not.toContain(file)
    mkdirSync(join(session, 'Cache'))
    app.end()
    expect(() => statSync(session)).toThrow()
  })
})
