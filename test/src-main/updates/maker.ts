import { generateKeyPairSync } from 'node:crypto'
import { publicHalfOf, signatureOf } from '../../../scripts/updates/feed.mjs'
import { scriptedServer } from '#test/helpers/scripted-server.ts'
import type { ScriptedServer } from '#test/helpers/scripted-server.ts'

/** Whoever makes the app: a key, its public half, and what is signed with it. */
export function maker() {
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return { key, publicKey: publicHalfOf(key), sign: (text: string) => signatureOf(text, key) }
}
export type Maker = ReturnType<typeof maker>

export const noon = Date.parse('2026-11-20T12:00:00Z')
const day = 86_400_000

export const page = 'https://downloads.example/desk/1.3.0'

/** A feed, as the maker writes it; `changes` are made to it before it is signed. */
export const feedText = (changes: object = {}): string =>
  JSON.stringify({
    format: 'traffic-desk-updates-2',
    version: '1.3.0',
    date: new Date(noon - day).toISOString(),
    expires: new Date(noon + 90 * day).toISOString(),
    notes: 'What is new.',
    page,
    ...changes,
  })

/** What lies at a feed's host, by path: a file, or the way to another. */
export type Lying = Map<string, string | { readonly redirect: string }>

export type FeedHost = { readonly server: ScriptedServer; readonly lying: Lying; readonly address: string }

/** A host of a feed on this computer. */
export async function openFeedHost(): Promise<FeedHost> {
  const lying: Lying = new Map()
  const server = await scriptedServer(({ path }, response) => {
    const found = lying.get(path)
    if (found === undefined) response.writeHead(404).end()
    else if (typeof found === 'object') response.writeHead(302, { location: found.redirect }).end()
    else response.writeHead(200, { 'content-length': Buffer.byteLength(found) }).end(found)
  })
  return { server, lying, address: `${server.address}/desk/latest.json` }
}

/** Puts a feed at a host, signed. */
export function publishAt({ lying }: FeedHost, by: Maker, text: string): void {
  lying.set('/desk/latest.json', text)
  lying.set('/desk/latest.json.sig', by.sign(text))
}
