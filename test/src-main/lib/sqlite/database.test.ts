import { describe, expect, it } from 'vitest'
import { openFor, temporaryFolder } from '../../store/helpers.ts'

const modeOf = (row: Readonly<Record<string, unknown>> | undefined) => row?.['synchronous']

describe('writing durably', () => {
  it('waits for the disk while it writes, and no longer, whether or not it succeeds', () => {
    const { database } = openFor(temporaryFolder())
    const mode = () => modeOf(database.row('PRAGMA synchronous'))
    expect(mode()).toBe(1)
    expect(database.durably(() => database.row('PRAGMA synchronous'))).toEqual({ synchronous: 2 })
    expect(mode()).toBe(1)
    expect(() =>
      database.durably(() => {
        throw new Error('refused')
      }),
    ).toThrow('refused')
    expect(mode()).toBe(1)
  })
})
