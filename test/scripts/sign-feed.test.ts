import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { targetOf } from '../../scripts/updates/feed.mjs'
import { readFeed } from '#main/updates/feed.ts'
import { maker, packageBytes, sha512 } from '../src-main/updates/maker.ts'
import { keepTimeOfMachine } from '../helpers/day-of-tests.ts'

keepTimeOfMachine('what signs is a process of its own')

const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const by = maker()

function folderWith(files: Readonly<Record<string, Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-feed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
  return folder
}

const signIn = (folder: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  promisify(execFile)(
    process.execPath,
    [join(root, 'scripts', 'sign-feed.mjs'), '--folder', folder, ...args],
    { env: { ...process.env, TRAFFIC_DESK_UPDATE_PRIVATE_KEY: by.key, ...env } },
  )

const feedIn = (folder: string) => ({
  text: readFileSync(join(folder, 'latest.json'), 'utf8'),
  signature: readFileSync(join(folder, 'latest.json.sig'), 'utf8'),
})

it('signs a feed of the packages in a folder, which the app before it reads', async () => {
  const bytes = packageBytes(100)
  const deb = `traffic-desk_${version}_amd64.deb`
  const folder = folderWith({
    [deb]: bytes,
    [`Traffic Desk-${version}-arm64.AppImage`]: packageBytes(50),
    'traffic-desk_0.0.1_amd64.deb': packageBytes(10),
    [`traffic-desk_${version}-not-for-people_arm64.deb`]: packageBytes(10),
    'notes.txt': Buffer.from('  Faster.\n'),
  })
  const base = 'https://mirror.example/files/'
  const { stdout } = await signIn(folder, {}, '--base', base, '--notes', join(folder, 'notes.txt'))
  expect(stdout).toContain(by.publicKey)
  const reader = {
    source: { address: 'https://downloads.example/latest.json', key: by.publicKey },
    ...{ running: '0.0.1', target: 'linux-x64-deb', newest: null, now: Date.now() },
  }
  expect(readFeed(feedIn(folder), reader).offer).toMatchObject({
    ...{ version, notes: 'Faster.', size: bytes.length, sha512: sha512(bytes), address: base + deb },
  })
  const { offer } = readFeed(feedIn(folder), { ...reader, target: 'linux-arm64-appimage' })
  expect(offer?.address).toBe(`${base}Traffic%20Desk-${version}-arm64.AppImage`)
  expect(() => readFeed(feedIn(folder), { ...reader, now: Date.now() + 91 * 86_400_000 })).toThrow(
    'out of date',
  )
})

it('refuses, in words, without a key, with another key than the one that is built in, and without packages', async () => {
  const folder = folderWith({ [`traffic-desk_${version}_amd64.deb`]: packageBytes(10) })
  const refusals = [
    [folder, { TRAFFIC_DESK_UPDATE_PRIVATE_KEY: '' }, /names no key/],
    [folder, { TRAFFIC_DESK_UPDATE_KEY: maker().publicKey }, /not the other half/],
    [folderWith({}), {}, /no package of version/],
  ] as const
  for (const [at, env, words] of refusals)
    await expect(signIn(at, env)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(words) })
  expect(readdirSync(folder)).toEqual([`traffic-desk_${version}_amd64.deb`])
})

it.each([
  ['traffic-desk_1.2.3_amd64.deb', 'linux-x64-deb'],
  ['traffic-desk_1.2.3_arm64.deb', 'linux-arm64-deb'],
  ['Traffic Desk-1.2.3-x64.AppImage', 'linux-x64-appimage'],
  ['Traffic-Desk-1.2.3-x86_64.AppImage', 'linux-x64-appimage'],
  ['traffic-desk-1.2.3-x64.msix', 'win32-x64-msix'],
  ['Traffic Desk-1.2.3-arm64.dmg', 'darwin-arm64-dmg'],
  ['traffic-desk-1.2.3-linux-x64.AppImage', 'linux-x64-appimage'],
  ['traffic-desk-1.2.3-windows-arm64.msix', 'win32-arm64-msix'],
  ['traffic-desk-1.2.3-windows-x64-unsigned.msix', undefined],
  ['traffic-desk_1.2.30_amd64.deb', undefined],
  ['traffic-desk_1.2.3~not-for-people_amd64.deb', undefined],
  ['traffic-desk_1.2.3_amd64.deb.part', undefined],
  ['traffic-desk_1.2.3.deb', undefined],
])('takes %s for %s', (name, target) => {
  expect(targetOf(name, '1.2.3')).toBe(target)
})
