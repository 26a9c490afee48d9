import { expect, it } from 'vitest'
import { KeychainEntries } from '#main/accounts/keychain-entries.ts'
import { LockFile } from '#main/lock/lock-file.ts'
import { reportLog } from '#main/raw/polling/report-announcer.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'
import { FakeKeychain } from '../src-main/accounts/helpers.ts'
import { firstId } from '../src-main/database/helpers.ts'
import { powered } from './moments/endings.ts'

const place = powered()

it.skipIf(place === null)(
  'what was just written into the profile folder is as it was said to be after a power cut: the lock, its keychain entries, what was announced',
  async () => {
    const { folder, lose } = place?.() ?? expect.fail()
    const announced = [firstId, '7' as RawReportId, 'ready'] as const
    const stored = { after: 15, wrong: 2, at: 1_000 } as const
    const proxy = 'http://proxy.example:3128'
    const keychain = new FakeKeychain()
    const entries = () =>
      new KeychainEntries(
        keychain,
        folder,
        fake<StateStore>('store', { opened: Promise.resolve({ kind: 'ready', news: null }) }),
      )
    new LockFile(folder).write(stored)
    lose()
    expect(new LockFile(folder).read()).toEqual(stored)
    const log = reportLog(folder)
    log.add([announced])
    log.flush()
    lose()
    expect(reportLog(folder).keys()).toEqual([announced])
    await entries().set(proxy, 'one')
    lose()
    expect(entries().proxies()).toEqual([proxy])
    await entries().remove(proxy)
    new LockFile(folder).write(null)
    lose()
    expect(entries().proxies()).toEqual([])
    expect(new LockFile(folder).read()).toBeNull()
  },
)
