import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { builtInSource, feedVariable, keyVariable, sourceFrom } from '#main/updates/source.ts'
import { maker } from './maker.ts'

const { publicKey: key } = maker()
const address = 'https://downloads.example/desk/latest.json'
const from = (feed: string | undefined, given: string | undefined) =>
  sourceFrom({ [feedVariable]: feed, [keyVariable]: given })

describe('the source of updates', () => {
  it('is none where none is named, and none where nothing was built', () => {
    expect(from(undefined, undefined)).toBeNull()
    expect(from('', '')).toBeNull()
    expect(builtInSource).toBeNull()
  })

  it('is a feed with a key', () => {
    expect(from(address, key)).toEqual({ address, key })
    expect(from('http://127.0.0.1:8080/latest.json', key)).not.toBeNull()
  })

  it('is refused, in words, where one is without the other', () => {
    expect(() => from(address, undefined)).toThrow(/without TRAFFIC_DESK_UPDATE_KEY/)
    expect(() => from(undefined, key)).toThrow(/without TRAFFIC_DESK_UPDATE_FEED/)
  })

  it.each([
    'http://downloads.example/latest.json',
    'https://a:b@downloads.example/latest.json',
    `${address}?a=b`,
    `${address}#here`,
    'https://downloads.example/desk/',
    'ftp://downloads.example/latest.json',
    'downloads.example',
  ])('is refused at %s', (feed) => {
    expect(() => from(feed, key)).toThrow(/TRAFFIC_DESK_UPDATE_FEED has to be/)
  })

  it('is refused with a key of another kind', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const other = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    for (const each of [other, 'nothing', key.slice(8)]) expect(() => from(address, each)).toThrow(/Ed25519/)
  })
})
