import { expect, it } from 'vitest'
import { Mutex } from '#main/lib/async.ts'

it('runs one thing after the other, also after one that failed', async () => {
  const mutex = new Mutex()
  const seen: string[] = []
  const one = mutex.run(async () => {
    seen.push('first begins')
    await Promise.resolve()
    seen.push('first ends')
    throw new Error('failed')
  })
  const other = mutex.run(() => Promise.resolve(seen.push('second')))
  await expect(one).rejects.toThrow('failed')
  expect(await other).toBe(3)
  expect(seen).toEqual(['first begins', 'first ends', 'second'])
})
