import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it, describe } from 'vitest'
import { dropLoosening, foreignSwitch, refuseForeignSwitches, saveMemory } from '#main/shell/switches.ts'
import { temporaryFolder } from '../database/helpers.ts'

const loosened = {
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_EXTRA_CA_CERTS: '/tmp/authority.pem',
  SSLKEYLOGFILE: '/tmp/keys',
  SSL_CERT_FILE: '/tmp/authority.pem',
  SSL_CERT_DIR: '/tmp',
  OPENSSL_CONF: '/tmp/openssl.cnf',
  NODE_OPTIONS: '--require=/tmp/other.cjs',
  ELECTRON_RUN_AS_NODE: '1',
}

it.each([
  ['the installed app', true, { HOME: '/home/ada' }],
  [
    'a checkout, whose runtime needs it',
    false,
    {
      HOME: '/home/ada',
      NODE_OPTIONS: loosened.NODE_OPTIONS,
      ELECTRON_RUN_AS_NODE: '1',
    },
  ],
])('takes out what loosens connections or runs something else: %s', (_of, packaged, left) => {
  const environment: Record<string, string | undefined> = { ...loosened, HOME: '/home/ada' }
  dropLoosening(environment, packaged)
  expect(environment).toEqual(left)
})

it('leaves nothing of it to threads that begin afterwards', async () => {
  process.env['SSLKEYLOGFILE'] = loosened.SSLKEYLOGFILE
  dropLoosening(process.env, false)
  const source = "require('node:worker_threads').parentPort.postMessage(process.env.SSLKEYLOGFILE ?? 'none')"
  const worker = new Worker(source, { eval: true })
  expect(await new Promise((resolve) => worker.once('message', resolve))).toBe('none')
})

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
    expect(words).toMatch(/^Traffic Desk doesn't start with --remote-debugging-port, /)
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

const network = ['enable-features', 'NetworkServiceInProcess2']

it.each([
  ['linux', '/dev/dri', [network]],
  ['linux', '/dev/nvidia0', [network]],
  ['linux', '/dev/dxg', [network]],
  ['linux', '/dev/fb0', [network, ['disable-gpu'], ['disable-software-rasterizer']]],
  ['darwin', '/dev/disk0', []],
  ['win32', 'C:\\', []],
] as const)('on %s that has %s, the browser is told %j', (platform, device, expected) => {
  const told: (readonly string[])[] = []
  saveMemory(
    { appendSwitch: (...given) => told.push(given.filter((each) => each !== undefined)) },
    platform,
    (path) => path === device,
  )
  expect(told).toEqual(expected)
})
