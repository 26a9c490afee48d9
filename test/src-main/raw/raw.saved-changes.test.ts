import { describe, expect, it } from 'vitest'
import { createSavedChanges } from '#main/raw/raw.ts'
import type { Download, DownloadId, DownloadState } from '#shared/downloads/download.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'

const [first, second] = ['first', 'second'] as unknown as readonly [AccountId, AccountId]
const nothing = { changed: [], removed: [], reordered: false }
const running = (done: number): DownloadState => ({
  kind: 'running',
  ...{ done, total: null, unit: 'bytes', speed: null },
})

const download = (id: string, account: AccountId, state: DownloadState): Download => ({
  id: id as DownloadId,
  account,
  report: `report of ${id}` as RawReportId,
  name: 'Weekly',
  file: 'Weekly.zip',
  host: null,
  size: 100,
  expires: null,
  state,
})

describe('a change of downloads', () => {
  it('changes the list of its account where the file stands otherwise, and not with each of its bytes', () => {
    const affects = createSavedChanges(() => [first, second])
    const told = (account: AccountId, state: DownloadState) => [
      ...affects({ ...nothing, changed: [download('a', account, state)] }),
    ]
    expect(told(first, { kind: 'waiting' })).toEqual([first])
    expect(told(first, running(0))).toEqual([first])
    expect(told(first, running(50))).toEqual([])
    expect(told(first, { kind: 'checking' })).toEqual([])
    expect(told(first, { kind: 'unpacking' })).toEqual([])
    expect(told(first, { kind: 'saved', time: 1 as Instant })).toEqual([first])
    expect(told(first, { kind: 'missing' })).toEqual([first])
  })

  it('changes the list of whose download goes, and every list where nobody knows whose it was', () => {
    const affects = createSavedChanges(() => [first, second])
    affects({ ...nothing, changed: [download('a', second, running(1))] })
    const removed = (id: string) => [...affects({ ...nothing, removed: [id as DownloadId] })]
    expect(removed('a')).toEqual([second])
    expect(removed('a')).toEqual([first, second])
  })

  it('is nothing to lists where only the order changed', () => {
    const affects = createSavedChanges(() => [first])
    expect([...affects({ ...nothing, reordered: true })]).toEqual([])
  })
})
