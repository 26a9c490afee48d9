import { describe, expect, it } from 'vitest'
import { LockFile } from '../../src-main/lock/lock-file.ts'
import { endings } from './moments/endings.ts'

describe.each(endings(1, 1))('a lock that was just switched, $ending', ({ place }) => {
  it('is as it was said to be', () => {
    const { folder, lose } = place()
    const kept = { after: 15, wrong: 2, at: 1_000 } as const
    new LockFile(folder).write(kept)
    lose()
    expect(new LockFile(folder).read()).toEqual(kept)
    new LockFile(folder).write(null)
    lose()
    expect(new LockFile(folder).read()).toBeNull()
  })
})
