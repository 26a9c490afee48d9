import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  argsWithWindow,
  isHiddenStart,
  repairStartAtLogin,
  setStartAtLogin,
} from '#main/shell/start-at-login.ts'

function onLinux(program: readonly string[] = ['/opt/Traffic Desk/traffic-desk']) {
  const config = mkdtempSync(join(tmpdir(), 'traffic-desk-login-'))
  onTestFinished(() => {
    rmSync(config, { recursive: true })
  })
  const parts = {
    platform: 'linux' as const,
    environment: { XDG_CONFIG_HOME: config },
    program,
    setLoginItem: () => {
      throw new Error('Linux has a file for it')
    },
  }
  return { parts, config, file: join(config, 'autostart', 'traffic-desk.desktop') }
}

describe('starting at login', () => {
  it('is an entry among those of the desktop, without a window', () => {
    const { parts, file } = onLinux(['/opt/Traffic "Desk"/100%', '/home/a'])
    setStartAtLogin(parts, true)
    expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Traffic \\"Desk\\"/100%%" "/home/a" --hidden\n')
  })

  it('ends with the entry, whether or not it was there', () => {
    const { parts, file } = onLinux()
    setStartAtLogin(parts, true)
    setStartAtLogin(parts, false)
    setStartAtLogin(parts, false)
    expect(existsSync(file)).toBe(false)
  })

  it('says so in words where the folder refuses', () => {
    const { parts, config } = onLinux()
    writeFileSync(join(config, 'autostart'), 'a file in its place')
    expect(() => {
      setStartAtLogin(parts, true)
    }).toThrow(/cannot be written/)
  })

  it('follows the program where it moved, and leaves the rest of the entry as it is', () => {
    const { parts, file } = onLinux()
    setStartAtLogin(parts, true)
    const before = `${readFileSync(file, 'utf8')}Hidden=false\n`
    writeFileSync(file, before)
    repairStartAtLogin({ ...parts, program: ['/srv/$& Desk/traffic-desk'] })
    expect(readFileSync(file, 'utf8')).toBe(
      before.replace('/opt/Traffic Desk/traffic-desk', () => '/srv/\\$& Desk/traffic-desk'),
    )
  })

  it('is never found half written', () => {
    const { parts, file } = onLinux()
    setStartAtLogin(parts, true)
    const before = readFileSync(file, 'utf8')
    const reader = openSync(file, 'r')
    onTestFinished(() => {
      closeSync(reader)
    })
    repairStartAtLogin({ ...parts, program: ['/srv/traffic-desk'] })
    expect(readFileSync(reader, 'utf8')).toBe(before)
    expect(readFileSync(file, 'utf8')).not.toBe(before)
  })

  it('stays as the person left it elsewhere: an entry that they took away does not come back', () => {
    const { parts, file } = onLinux()
    repairStartAtLogin(parts)
    expect(existsSync(file)).toBe(false)
    repairStartAtLogin({ ...parts, platform: 'win32' })
  })

  it("is the system's own list elsewhere", () => {
    const set: unknown[] = []
    const parts = {
      ...onLinux().parts,
      platform: 'darwin' as const,
      setLoginItem: (...given: unknown[]) => set.push(given),
    }
    setStartAtLogin(parts, true)
    setStartAtLogin(parts, false)
    expect(set).toEqual([
      [true, ['--hidden']],
      [false, []],
    ])
  })

  it('is told by a switch, or by the system', () => {
    expect(isHiddenStart(['traffic-desk', '--hidden'], false)).toBe(true)
    expect(isHiddenStart(argsWithWindow(['/app', '--hidden']), false)).toBe(false)
    expect(isHiddenStart(['Traffic Desk'], true)).toBe(true)
    expect(isHiddenStart(['Traffic Desk', 'traffic-desk://raw'], false)).toBe(false)
  })
})
