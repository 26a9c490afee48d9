import { describe, expect, it } from 'vitest'
import { rememberEntries } from '../../src-main/accounts/keychain-entries.ts'
import { LockFile } from '../../src-main/lock/lock-file.ts'
import { ShownLog } from '../../src-main/raw/watching/shown-log.ts'
import type { RawReportId } from '../../src-shared/values/ids.ts'
import { FakeKeychain } from '../src-main/accounts/helpers.ts'
import { firstId } from '../src-main/store/helpers.ts'
import { endings } from './moments/endings.ts'

describe.each(endings(1, 1))('what was just written into the profile folder, $ending', ({ place }) => {
  it('is as it was said to be: the lock, what was announced, and which entries of the keychain are of this profile', async () => {
    const { folder, lose } = place()
    const announced = { account: firstId, report: '7' as RawReportId, kind: 'ready' } as const
    const kept = { after: 15, wrong: 2, at: 1_000 } as const
    const proxy = 'http://proxy.example:3128'
    const keychain = new FakeKeychain()
    const entries = () =>
      rememberEntries(keychain, folder, {
        opened: Promise.resolve({ state: 'ready', news: null }),
        run: () => Promise.reject(new TypeError('Nothing is asked here')),
      })
    new LockFile(folder).write(kept)
    lose()
    expect(new LockFile(folder).read()).toEqual(kept)
    new ShownLog(folder).add([announced])
    lose()
    expect(new ShownLog(folder).keys()).toEqual([announced])
    await entries().set(proxy, 'one')
    lose()
    expect(entries().proxies()).toEqual([proxy])
    await entries().remove(proxy)
    new LockFile(folder).write(null)
    lose()
    expect(entries().proxies()).toEqual([])
    expect(new LockFile(folder).read()).toBeNull()
  })
})
