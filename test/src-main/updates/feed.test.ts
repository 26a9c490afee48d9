import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readFeed } from '#main/updates/feed.ts'
import type { FeedReader } from '#main/updates/feed.ts'
import { feedText, maker, noon, page } from './maker.ts'

const by = maker()
const reader: FeedReader = {
  source: { address: 'https://downloads.example/desk/latest.json', key: by.publicKey },
  ...{ running: '1.2.3', newest: null, now: noon },
}
const read = (text: string, more: Partial<FeedReader> = {}) =>
  readFeed({ text, signature: by.sign(text) }, { ...reader, ...more })

describe('a feed', () => {
  it('that its maker signed offers a newer version, and the page where it can be had', () => {
    expect(read(feedText())).toEqual({
      date: noon - 86_400_000,
      offer: {
        version: '1.3.0',
        date: noon - 86_400_000,
        notes: 'What is new.',
        page,
      },
    })
  })

  it('is refused with one byte changed, the signature of another, or none', () => {
    const text = feedText()
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
    const text = feedText()
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
    expect(read(feedText({ version })).offer).toBeNull()
  })

  it.each(['1.2.4', '1.3.0', '2.0.0', '1.2.10'])('of version %s is newer than 1.2.3', (version) => {
    expect(read(feedText({ version })).offer?.version).toBe(version)
  })

  it('is newer than a build for tests of the same version', () => {
    expect(read(feedText({ version: '1.2.3' }), { running: '1.2.3-not-for-people' }).offer).not.toBeNull()
  })

  it('is refused when it is older than one that was read before, and not when it is that one', () => {
    const text = feedText()
    expect(() => read(text, { newest: noon })).toThrow(/list of updates was rejected\. It/)
    expect(read(text, { newest: noon - 86_400_000 }).offer).not.toBeNull()
  })

  it('is refused when it is out of date', () => {
    expect(() => read(feedText(), { now: noon + 91 * 86_400_000 })).toThrow(/out of date/)
  })

  it.each([
    { format: 'something else' },
    { version: '1.3' },
    { version: '1.3.0-beta' },
    { version: '../../1.3.0' },
    { date: 'yesterday' },
    { notes: null },
    { page: undefined },
    { page: '' },
    { page: 17 },
  ])('that is written otherwise is refused: %j', (changes) => {
    expect(() => read(feedText(changes))).toThrow(/list of updates was rejected\. This/)
  })

  it('with more to say than anybody reads is refused', () => {
    expect(() => read(feedText({ notes: 'x'.repeat(9000) }))).toThrow(/list of updates was rejected\. This/)
  })

  it.each([
    'http://downloads.example/app.deb',
    'file:///etc/passwd',
    'https://a:b@downloads.example/app.deb',
    'javascript:alert(1)',
    'latest.html',
  ])('that leads to %s is refused', (address) => {
    expect(() => read(feedText({ page: address }))).toThrow(/list of updates was rejected/)
  })

  it('signed with a key of another kind is refused', () => {
    const text = feedText()
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    const source = { ...reader.source, key }
    expect(() => readFeed({ text, signature: by.sign(text) }, { ...reader, source })).toThrow(/not signed/)
  })
})
