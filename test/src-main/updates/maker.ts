import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { publicHalfOf, signatureOf } from '../../../scripts/updates/feed.mjs'
import { scriptedServer } from '#test/helpers/scripted-server.ts'
import type { ScriptedServer } from '#test/helpers/scripted-server.ts'

/** Whoever makes the app: a key, its public half, and what is signed with it. */
export function maker() {
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return { key, publicKey: publicHalfOf(key), sign: (text: string) => signatureOf(text, key) }
}
export type Maker = ReturnType<typeof maker>

export const target = 'linux-x64-deb'
export const noon = Date.parse('2026-11-20T12:00:00Z')
const day = 86_400_000

/** A package's bytes: an AppImage's first ones, and then anything. */
export const packageBytes = (length = 300_000): Buffer =>
  Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01\x00AI\x02', 'latin1'), randomBytes(length)])

export const sha512 = (bytes: Uint8Array): string => createHash('sha512').update(bytes).digest('hex')

/** A feed of one package, as the maker writes it; `changes` are made to it before it is signed. */
export function feedText(bytes: Uint8Array, changes: object = {}, fileChanges: object = {}): string {
  const file = { address: 'app.deb', size: bytes.length, sha512: sha512(bytes), ...fileChanges }
  return JSON.stringify({
    format: 'traffic-desk-updates-1',
    version: '1.3.0',
    date: new Date(noon - day).toISOString(),
    expires: new Date(noon + 90 * day).toISOString(),
    notes: 'What is new.',
    files: { [target]: file, 'linux-x64-appimage': file },
    ...changes,
  })
}

/** What lies at a feed's host, by path: a file, the way to another, or the first part of one whose rest never comes. */
export type Lying = Map<
  string,
  Buffer | string | { readonly redirect: string } | { readonly first: Buffer; readonly of: number }
>

export type FeedHost = { readonly server: ScriptedServer; readonly lying: Lying; readonly address: string }

/** A host of a feed on this computer. */
export async function openFeedHost(): Promise<FeedHost> {
  const lying: Lying = new Map()
  const server = await scriptedServer(({ path }, response) => {
    const found = lying.get(path)
    if (found === undefined) response.writeHead(404).end()
    else if (typeof found === 'object' && 'redirect' in found)
      response.writeHead(302, { location: found.redirect }).end()
    else if (typeof found === 'object' && 'first' in found)
      response.writeHead(200, { 'content-length': found.of }).write(found.first)
    else response.writeHead(200, { 'content-length': Buffer.byteLength(found) }).end(found)
  })
  return { server, lying, address: `${server.address}/desk/latest.json` }
}

/** Puts a feed and its package at a host, signed. */
export function publishAt({ lying }: FeedHost, by: Maker, text: string, bytes?: Buffer): void {
  lying.set('/desk/latest.json', text)
  lying.set('/desk/latest.json.sig', by.sign(text))
  if (bytes) lying.set('/desk/app.deb', bytes)
}
