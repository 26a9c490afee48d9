import { expect, it } from 'vitest'
import { loadedWith } from '#test/helpers/loaded-with.ts'

it('loads neither menus and dialogs nor charts before the first view', () => {
  const found = [...loadedWith('src-renderer/main.ts')]
  const early = ['svelte', '@tanstack/svelte-query', '@tanstack/svelte-virtual', 'ipaddr.js']
  expect(found.filter(([name]) => !early.includes(name))).toEqual([])
  expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(early))
})
