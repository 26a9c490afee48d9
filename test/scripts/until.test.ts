import { expect, it } from 'vitest'
import { until, within } from '../../scripts/package-test/until.mjs'

const never = new Promise<boolean>(() => undefined)

it('waits for what comes, and says what did not come in time', async () => {
  let times = 0
  await until('the third time', () => (times += 1) > 2)
  expect(times).toBe(3)
  await expect(until('a window', () => false, 120)).rejects.toThrow('waited in vain for a window')
  await expect(until('an answer', () => never, 20)).rejects.toThrow('waited in vain for an answer')
  expect(await within('a number', Promise.resolve(1))).toBe(1)
  await expect(within('its end', never, 20)).rejects.toThrow('waited in vain for its end')
  await expect(within('its end', Promise.reject(new Error('gone')))).rejects.toThrow('gone')
})
