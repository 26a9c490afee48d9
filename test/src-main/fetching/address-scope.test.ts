import { describe, expect, it } from 'vitest'
import {
  checkDownloadAddress,
  guardedLookup,
  scopeOfAddress,
  scopeOfHost,
  scopeOfService,
} from '#main/fetching/address-scope.ts'

describe('how near an address lies', () => {
  it.each([
    ['93.184.216.34', 'public'],
    ['172.15.0.1', 'public'],
    ['172.32.0.1', 'public'],
    ['100.63.0.1', 'public'],
    ['2606:2800:220:1::1', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'private'],
    ['100.64.0.1', 'private'],
    ['0.0.0.0', 'loopback'],
    ['0.1.2.3', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:a9fe:a9fe', 'private'],
    ['64:ff9b::a00:1', 'private'],
    ['64:ff9b::5db8:d822', 'public'],
    ['2002:a00:1::', 'private'],
    ['fe80::1', 'private'],
    ['fd12::1', 'private'],
    ['ff02::1', 'private'],
    ['::', 'loopback'],
    ['::ffff:0.0.0.0', 'loopback'],
  ] as const)('%s is %s', (address, reach) => expect(scopeOfAddress(address)).toBe(reach))

  it('is seen through every way of writing it', () => {
    for (const host of [
      '2130706433',
      '0x7f.1',
      '127.1',
      '[::ffff:7f00:1]',
      'localhost',
      'a.localhost',
      'LOCALHOST.',
    ]) {
      expect(scopeOfHost(new URL(`https://${host}/`).hostname), host).toBe('loopback')
    }
    expect(scopeOfHost('files.example')).toBeUndefined()
  })

  it('of a service is the nearest that all its addresses promise', async () => {
    const resolving =
      (...addresses: string[]) =>
      () =>
        Promise.resolve(addresses.map((address) => ({ address, family: 4 })))
    expect(await scopeOfService('https://a.example', resolving('10.0.0.1'))).toBe('private')
    expect(await scopeOfService('https://a.example', resolving('10.0.0.1', '93.184.216.34'))).toBe('public')
    expect(await scopeOfService('https://a.example', () => Promise.reject(new Error('ENOTFOUND')))).toBe(
      'public',
    )
    expect(await scopeOfService('http://127.0.0.1:8080', () => Promise.reject(new Error('asked')))).toBe(
      'loopback',
    )
  })
})

describe('an address to fetch from', () => {
  const check = (address: string, allowed: 'public' | 'private' | 'loopback') => () =>
    checkDownloadAddress(new URL(address), allowed)

  it.each([
    ['https://files.example/a.zip', 'public'],
    ['https://files.example:8443/a.zip?x=1', 'public'],
    ['https://10.0.0.1/a.zip', 'private'],
    ['http://127.0.0.1:99/a.zip', 'loopback'],
    ['http://localhost:99/a.zip', 'loopback'],
    ['https://10.0.0.1/a.zip', 'loopback'],
  ] as const)('%s is taken from a service that is %s', (address, allowed) =>
    expect(check(address, allowed)).not.toThrow(),
  )

  it.each([
    ['file:///etc/passwd', 'loopback'],
    ['ftp://files.example/a.zip', 'loopback'],
    ['data:application/zip;base64,UEs=', 'loopback'],
    ['http://files.example/a.zip', 'loopback'],
    ['http://127.0.0.1/a.zip', 'private'],
    ['http://10.0.0.1/a.zip', 'loopback'],
    ['https://me:secret@files.example/a.zip', 'public'],
    ['https://localhost/a.zip', 'public'],
    ['https://127.0.0.1/a.zip', 'private'],
    ['https://2130706433/a.zip', 'private'],
    ['https://10.0.0.1/a.zip', 'public'],
    ['https://169.254.169.254/latest/meta-data', 'public'],
    ['https://[fe80::1]/a.zip', 'public'],
    ['https://[::ffff:10.0.0.1]/a.zip', 'public'],
  ] as const)('%s is refused from a service that is %s', (address, allowed) =>
    expect(check(address, allowed)).toThrow(/was refused/),
  )

  it('is connected to only where its name leads', async () => {
    const looked = (allowed: 'public' | 'loopback', all: boolean) =>
      new Promise((resolve) => {
        guardedLookup(allowed)('localhost', { all }, (error, address, family) =>
          resolve([error, address, family]),
        )
      })
    expect(await looked('public', false)).toMatchObject([{ failure: { kind: 'malformed' } }, '', 0])
    expect(await looked('public', true)).toMatchObject([{ failure: { kind: 'malformed' } }, '', 0])
    expect(await looked('loopback', false)).toMatchObject([
      null,
      expect.stringMatching(/^(127\.|::1)/),
      expect.anything(),
    ])
    expect(await looked('loopback', true)).toMatchObject([null, [{ address: expect.any(String) }], undefined])
  })
})
