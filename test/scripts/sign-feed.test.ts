import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { readFeed } from '#main/updates/feed.ts'
import { maker } from '../src-main/updates/maker.ts'
import { keepTimeOfMachine } from '../helpers/day-of-tests.ts'

keepTimeOfMachine('what signs is a process of its own')

const root = resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const by = maker()
const page = 'https://downloads.example/desk/'

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

it('signs a feed of this version, which the app before it reads', async () => {
  const folder = folderWith({ 'notes.txt': Buffer.from('  Faster.\n') })
  const { stdout } = await signIn(folder, {}, '--page', page, '--notes', join(folder, 'notes.txt'))
  expect(stdout).toContain(by.publicKey)
  const reader = {
    source: { address: 'https://downloads.example/latest.json', key: by.publicKey },
    ...{ running: '0.0.1', newest: null, now: Date.now() },
  }
  expect(readFeed(feedIn(folder), reader).offer).toMatchObject({ version, notes: 'Faster.', page })
  expect(() => readFeed(feedIn(folder), { ...reader, now: Date.now() + 91 * 86_400_000 })).toThrow(
    'out of date',
  )
})

it('refuses, in words, without a key, with another key than the one that is built in, and without a page', async () => {
  const folder = folderWith({})
  const refusals = [
    [{ TRAFFIC_DESK_UPDATE_PRIVATE_KEY: '' }, page, /names no key/],
    [{ TRAFFIC_DESK_UPDATE_KEY: maker().publicKey }, page, /not the other half/],
    [{}, '', /--page has to be/],
  ] as const
  for (const [env, at, words] of refusals)
    await expect(signIn(folder, env, '--page', at)).rejects.toMatchObject({
      ...{ code: 1, stderr: expect.stringMatching(words) },
    })
  expect(readdirSync(folder)).toEqual([])
})
