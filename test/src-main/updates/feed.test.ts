import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readFeed } from '#main/updates/feed.ts'
import type { FeedReader } from '#main/updates/feed.ts'
import { feedText, maker, noon, packageBytes, sha512, target } from './maker.ts'

const by = maker()
const bytes = packageBytes(100)
const reader: FeedReader = {
  source: { address: 'https://downloads.example/desk/latest.json', key: by.publicKey },
  ...{ running: '1.2.3', target, newest: null, now: noon },
}
const read = (text: string, more: Partial<FeedReader> = {}) =>
  readFeed({ text, signature: by.sign(text) }, { ...reader, ...more })

describe('a feed', () => {
  it('that its maker signed offers a newer version, with the address beside it', () => {
    expect(read(feedText(bytes))).toEqual({
      date: noon - 86_400_000,
      offer: {
        version: '1.3.0',
        date: noon - 86_400_000,
        notes: 'What is new.',
        size: bytes.length,
        sha512: sha512(bytes),
        address: 'https://downloads.example/desk/app.deb',
      },
    })
  })

  it('is refused with one byte changed, the signature of another, or none', () => {
    const text = feedText(bytes)
    const signature = by.sign(text)
    const tried = [
      { text: text.replace('1.3.0', '1.3.1'), signature },
      { text: `${text} `, signature },
      { text, signature: maker().sign(text) },
      { text, signature: '' },
      { text, signature: `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}` },
      { text, signature: signature.trim().slice(0, -4) },
    ]
    for (const [which, each] of tried.entries())
      expect(() => readFeed(each, reader), String(which)).toThrow(/not signed by the maker/)
  })

  it('is refused with any of its bytes changed', () => {
    const text = feedText(bytes)
    const signature = by.sign(text)
    for (let at = 0; at < text.length; at += 1) {
      const other = String.fromCharCode(text.charCodeAt(at) ^ 1)
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      expect(() => readFeed({ text: changed, signature }, reader), String(at)).toThrow(/not signed/)
    }
  })

  it('is not read before its signature holds', () => {
    expect(() => readFeed({ text: '{broken', signature: by.sign('{}') }, reader)).toThrow(/not signed/)
    expect(() => read('{broken')).toThrow(/list of updates was rejected\. This/)
  })

  it.each(['1.2.3', '1.2.2', '0.9.9', '1.1.10'])('of version %s offers nothing to 1.2.3', (version) => {
    expect(read(feedText(bytes, { version })).offer).toBeNull()
  })

  it.each(['1.2.4', '1.3.0', '2.0.0', '1.2.10'])('of version %s is newer than 1.2.3', (version) => {
    expect(read(feedText(bytes, { version })).offer?.version).toBe(version)
  })

  it('is newer than a build for tests of the same version', () => {
    expect(
      read(feedText(bytes, { version: '1.2.3' }), { running: '1.2.3-not-for-people' }).offer,
    ).not.toBeNull()
  })

  it('is refused when it is older than one that was read before, and not when it is that one', () => {
    const text = feedText(bytes)
    expect(() => read(text, { newest: noon })).toThrow(/list of updates was rejected\. It/)
    expect(read(text, { newest: noon - 86_400_000 }).offer).not.toBeNull()
  })

  it('is refused when it is out of date', () => {
    expect(() => read(feedText(bytes), { now: noon + 91 * 86_400_000 })).toThrow(/out of date/)
  })

  it('says where it has no package for this computer', () => {
    expect(() => read(feedText(bytes), { target: 'win32-arm64-msix' })).toThrow(/win32-arm64-msix/)
    expect(() => read(feedText(bytes), { target: '__proto__' })).toThrow(/no package/)
  })

  it.each([
    [{ format: 'something else' }, {}],
    [{ version: '1.3' }, {}],
    [{ version: '1.3.0-beta' }, {}],
    [{ version: '../../1.3.0' }, {}],
    [{ date: 'yesterday' }, {}],
    [{ notes: null }, {}],
    [{ files: 'none' }, {}],
    [{}, { sha512: 'abc' }],
    [{}, { size: 0 }],
    [{}, { size: 2_000_000_000 }],
    [{}, { size: '17' }],
  ])('that is written otherwise is refused: %j %j', (changes, fileChanges) => {
    expect(() => read(feedText(bytes, changes, fileChanges))).toThrow(/list of updates was rejected\. This/)
  })

  it('with more to say than anybody reads is refused', () => {
    expect(() => read(feedText(bytes, { notes: 'x'.repeat(9000) }))).toThrow(
      /list of updates was rejected\. This/,
    )
  })

  it.each([
    'http://downloads.example/app.deb',
    'file:///etc/passwd',
    'https://a:b@downloads.example/app.deb',
  ])('that leads to %s is refused', (address) => {
    expect(() => read(feedText(bytes, {}, { address }))).toThrow(/list of updates was rejected/)
  })

  it('may have its packages elsewhere', () => {
    const address = 'https://mirror.example/1.3.0/app.deb'
    expect(read(feedText(bytes, {}, { address })).offer?.address).toBe(address)
  })

  it('signed with a key of another kind is refused', () => {
    const text = feedText(bytes)
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    const source = { ...reader.source, key }
    expect(() => readFeed({ text, signature: by.sign(text) }, { ...reader, source })).toThrow(/not signed/)
  })
})
