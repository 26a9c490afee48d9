import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appImageOf, argsWithWindow, isHiddenStart, StartAtLogin } from '#main/shell/start-at-login.ts'

function onLinux(program: readonly string[] = ['/opt/Traffic Desk/traffic-desk']) {
  const config = mkdtempSync(join(tmpdir(), 'traffic-desk-login-'))
  onTestFinished(() => {
    rmSync(config, { recursive: true })
  })
  const app = {
    setLoginItemSettings: () => {
      throw new Error('Linux has a file for it')
    },
  }
  const loginOf = (started: readonly string[]) => new StartAtLogin(app, started, 'linux', config)
  const login = loginOf(program)
  return { login, loginOf, config, file: join(config, 'autostart', 'traffic-desk.desktop') }
}

describe('starting at login', () => {
  it('is an entry among those of the desktop, without a window', () => {
    const { login, file } = onLinux(['/opt/Traffic "Desk"/100%', '/home/a'])
    login.set(true)
    expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Traffic \\"Desk\\"/100%%" "/home/a" --hidden\n')
  })

  it('ends with the entry, whether or not it was there', () => {
    const { login, file } = onLinux()
    login.set(true)
    login.set(false)
    login.set(false)
    expect(existsSync(file)).toBe(false)
  })

  it('says so in words where the folder refuses', () => {
    const { login, config } = onLinux()
    writeFileSync(join(config, 'autostart'), 'a file in its place')
    expect(() => {
      login.set(true)
    }).toThrow(/can't be written/)
  })

  it('follows the program where it moved, and leaves the rest of the entry as it is', () => {
    const { login, loginOf, file } = onLinux()
    login.set(true)
    const before = `${readFileSync(file, 'utf8')}Hidden=false\n`
    writeFileSync(file, before)
    loginOf(['/srv/$& Desk/traffic-desk']).repair()
    expect(readFileSync(file, 'utf8')).toBe(
      before.replace('/opt/Traffic Desk/traffic-desk', () => '/srv/\\$& Desk/traffic-desk'),
    )
  })

  it('is never found half written', () => {
    const { login, loginOf, file } = onLinux()
    login.set(true)
    const before = readFileSync(file, 'utf8')
    const reader = openSync(file, 'r')
    onTestFinished(() => {
      closeSync(reader)
    })
    loginOf(['/srv/traffic-desk']).repair()
    expect(readFileSync(reader, 'utf8')).toBe(before)
    expect(readFileSync(file, 'utf8')).not.toBe(before)
  })

  it('stays as the person left it elsewhere: an entry that they took away does not come back', () => {
    const { login, file } = onLinux()
    login.repair()
    expect(existsSync(file)).toBe(false)
    new StartAtLogin({ setLoginItemSettings: () => undefined }, [], 'win32').repair()
  })

  it("is the system's own list elsewhere", () => {
    const set: unknown[] = []
    const app = { setLoginItemSettings: (given: unknown) => void set.push(given) }
    const login = new StartAtLogin(app, ['/app'], 'darwin')
    login.set(true)
    login.set(false)
    expect(set).toEqual([
      { openAtLogin: true, args: ['--hidden'] },
      { openAtLogin: false, args: [] },
    ])
  })

  it('is told by a switch, or by the system', () => {
    expect(isHiddenStart(['traffic-desk', '--hidden'], false)).toBe(true)
    expect(isHiddenStart(argsWithWindow(['/app', '--hidden']), false)).toBe(false)
    expect(isHiddenStart(['Traffic Desk'], true)).toBe(true)
    expect(isHiddenStart(['Traffic Desk', 'traffic-desk://raw'], false)).toBe(false)
  })
})

describe('the AppImage that runs', () => {
  const image = { APPIMAGE: '/home/a/Traffic Desk.AppImage', APPDIR: '/tmp/.mount_TrafX1' }

  it('is the one that the program lies in', () => {
    for (const program of ['/tmp/.mount_TrafX1/traffic-desk', '/tmp/.mount_TrafX1/usr/bin/traffic-desk'])
      expect(appImageOf(program, image)).toBe(image.APPIMAGE)
  })

  it('is none without its variables, or where an AppImage only started the program', () => {
    expect(appImageOf('/tmp/.mount_TrafX1/traffic-desk', {})).toBeNull()
    for (const program of ['/opt/Traffic Desk/traffic-desk', '/tmp/.mount_TrafX12/traffic-desk'])
      expect(appImageOf(program, image)).toBeNull()
  })
})
