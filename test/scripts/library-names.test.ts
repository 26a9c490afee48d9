import { describe, expect, it } from 'vitest'
import { debianNames, installCommand, missingDebianPackages } from '../../scripts/setup/library-names.mjs'

const listed = (...lines: (readonly [string, string])[]) =>
  lines.map(([name, status]) => `${name}\t${status}\n`).join('')

describe('missingDebianPackages', () => {
  it('finds nothing missing where all are installed under their older names', () => {
    const all = debianNames.app.map((names) => [names.at(-1) ?? '', 'ii '] as const)
    expect(missingDebianPackages(['app'], listed(...all))).toEqual([])
  })

  it('takes the newer name of a package for the same need', () => {
    const names = missingDebianPackages(['app'], listed(['libgtk-3-0t64', 'ii ']))
    expect(names.flat()).not.toContain('libgtk-3-0')
  })

  it('takes a package for missing that was removed and left its settings', () => {
    expect(missingDebianPackages(['display'], listed(['xvfb', 'rc '], ['xauth', 'ii ']))).toEqual([['xvfb']])
  })

  it('takes all for missing where dpkg says nothing', () => {
    expect(missingDebianPackages(['display', 'bus'], '')).toEqual([['xvfb'], ['xauth'], ['dbus']])
  })

  it('is not deceived by a name that begins alike', () => {
    expect(missingDebianPackages(['bus'], listed(['dbus-x11', 'ii ']))).toEqual([['dbus']])
  })

  it('asks for nothing where there is no purpose', () => {
    expect(missingDebianPackages([], '')).toEqual([])
  })
})

describe('installCommand', () => {
  it('is one line', () => {
    for (const manager of ['apt-get', 'dnf', 'pacman'] as const) {
      expect(installCommand(manager, ['one', 'two'])).toMatch(/^sudo .*one two'?$/)
    }
  })
})
