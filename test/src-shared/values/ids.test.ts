import { describe, expect, it } from 'vitest'
import { instanceId } from '#shared/values/ids.ts'

describe("an instance's id", () => {
  it('is the same as a number and as text', () => {
    expect(instanceId(4101)).toBe('4101')
    expect(instanceId('4101')).toBe(instanceId(4101))
  })

  it('may be any text, kept as it is', () => {
    expect(instanceId('All Instances')).toBe('All Instances')
    expect(instanceId('007')).toBe('007')
  })

  it.each([[''], [null], [undefined], [false], [true], [NaN], [Infinity], [{}], [[1]]])(
    'is not %o',
    (value) => {
      expect(instanceId(value)).toBeUndefined()
    },
  )
})
