import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { foreignSwitch, refuseForeignSwitches } from '#main/shell/switches.ts'
import { temporaryFolder } from '../database/helpers.ts'

const off = () => false

describe('what the installed app is started with', () => {
  it.each([
    [[]],
    [['--hidden']],
    [['--version']],
    [['traffic-desk://reports/script/browsers?period=yesterday']],
    [['--user-data-dir=/home/ada/desk', '--ozone-platform-hint=auto', '--lang=de']],
    [['--user-data-dir=/home/--inspect=1', 'a file', '-']],
  ])('is what a person or a desktop gives it: %j', (args) => {
    expect(foreignSwitch(args, off, 'linux')).toBeNull()
  })

  it.each([
    '--remote-debugging-port=9222',
    '--remote-debugging-pipe',
    '--remote-allow-origins=*',
    '--inspect',
    '--inspect-brk=0',
    '--inspect-port=1',
    '--no-sandbox',
    '--disable-setuid-sandbox',
    '--renderer-cmd-prefix=xterm -e gdb',
    '--utility-cmd-prefix=sh',
    '--gpu-launcher=sh',
    '--js-flags=--expose-gc',
    '--load-extension=/tmp/x',
    '--proxy-server=127.0.0.1:8080',
    '--proxy-pac-url=http://x/',
    '--ignore-certificate-errors',
    '--ignore-certificate-errors-spki-list=x',
    '--host-rules=MAP * 127.0.0.1',
    '--host-resolver-rules=MAP * 127.0.0.1',
    '--disable-web-security',
    '--ssl-key-log-file=/tmp/keys',
    '--log-net-log=/tmp/log',
    '--enable-features=X',
    '--app=/tmp/other',
    '--require=/tmp/other.cjs',
    '-r',
    '-remote-debugging-port=9222',
    '--Remote-Debugging-Port=9222',
    '--something-new',
    ' --proxy-server=127.0.0.1:8080',
    '\t--js-flags=--expose-gc ',
    '\r\n -r',
  ])('is not %j', (argument) => {
    const name = argument.trim().replace(/=.*$/, '')
    expect(foreignSwitch(['--hidden', argument], off, 'linux')).toBe(name)
  })

  it('is not what Windows takes for a switch as well, nor what the environment switched on', () => {
    expect(foreignSwitch(['/inspect'], off, 'win32')).toBe('/inspect')
    expect(foreignSwitch(['/home/ada/views.json'], off, 'linux')).toBeNull()
    expect(foreignSwitch([], (name) => name === 'no-sandbox', 'linux')).toBe('--no-sandbox')
    expect(foreignSwitch(['-psn_0_12345'], off, 'darwin')).toBeNull()
  })
})

describe('the app that is started otherwise', () => {
  function start(description: object, isPackaged: boolean, args: readonly string[]) {
    const folder = join(temporaryFolder(), 'app')
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), JSON.stringify(description))
    const told: unknown[] = []
    const commandLine = { hasSwitch: off } as unknown as Electron.CommandLine
    const exit = (code?: number) => void told.push(code)
    refuseForeignSwitches({ isPackaged, commandLine, getAppPath: () => folder, exit }, args, (words) =>
      told.push(words),
    )
    return told
  }

  it('ends with words that name the switch', () => {
    const [words, code] = start({ name: 'traffic-desk' }, true, ['--remote-debugging-port=0'])
    expect(words).toMatch(/^Traffic Desk is not started with --remote-debugging-port: /)
    expect(code).toBe(1)
  })

  it.each([
    ['runs without one', {}, true, ['--hidden']],
    ['runs from a checkout', {}, false, ['--inspect', '--no-sandbox']],
    [
      'runs where the test of the package made it so',
      { madeToBeDriven: true },
      true,
      ['--remote-debugging-port=0'],
    ],
  ])('%s', (_how, description, isPackaged, args) => {
    expect(start(description, isPackaged, args)).toEqual([])
  })
})
