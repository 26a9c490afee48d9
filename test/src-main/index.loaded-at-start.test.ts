import { expect, it } from 'vitest'
import { loadedWith } from '#test/helpers/loaded-with.ts'

it('loads neither connections nor keychain nor engine before the window', () => {
  const found = [...loadedWith('src-main/index.ts')]
  const early = ['electron', 'valibot', 'p-queue', '@internationalized/date', 'ipaddr.js']
  const late = ['node:http', 'node:https', 'node:tls']
  const isEarly = (name: string) => (name.startsWith('node:') ? !late.includes(name) : early.includes(name))
  expect(found.filter(([name]) => !isEarly(name))).toEqual([])
  // Files are followed by their aliases too.
  expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(early))
})
