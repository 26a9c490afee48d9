import { describe, expect, it } from 'vitest'
import type { PaletteEntry } from '#renderer/components/palette/find.ts'
import { recentEntries, recentIds, rememberUse } from '#renderer/components/palette/recent.ts'
import { FakeDesk, account, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { createApp } from '#renderer/stores/create-app.ts'
import { switchAccount } from '#renderer/components/frame/frame-commands.ts'
import { vi } from 'vitest'

const entry = (id: string): PaletteEntry => ({ id, group: 'Do', words: id, run: () => undefined })

async function appOf(desk = new FakeDesk({ accounts: [account, otherAccount] })) {
  const app = createApp(desk.bridge, window)
  await vi.waitFor(() => expect(app.desk.account).not.toBeNull())
  return app
}

const idsOf = (entries: readonly PaletteEntry[]) => entries.map(({ id }) => id)

describe('what was used lately', () => {
  it('is kept, the newest first, each once, five at most, as far as it is still there', async () => {
    const app = await appOf()
    for (const id of ['a', 'b', 'c', 'a', 'd', 'e', 'f']) rememberUse(localStorage, app, entry(id))
    expect(recentIds(localStorage)).toEqual(['f', 'e', 'd', 'a', 'c'])
    expect(idsOf(recentEntries(localStorage, app, ['c', 'e', 'z'].map(entry)))).toEqual(['e', 'c'])
  })

  it('names nothing of the service in what is stored, and is known until the window closes all the same', async () => {
    const app = await appOf()
    for (const id of ['name:sources Secret Partner', 'phrase:reports', 'search:198.51.100.7', 'case:1'])
      rememberUse(localStorage, app, entry(id))
    expect(localStorage.length).toBe(0)
    expect(idsOf(recentEntries(localStorage, app, []))[0]).toBe('case:1')
    expect(recentEntries(localStorage, await appOf(), [])).toEqual([])
  })

  it('is that of the account that is shown', async () => {
    const app = await appOf()
    rememberUse(localStorage, app, entry('name:sources Secret Partner'))
    await switchAccount(app, otherAccount.id)
    expect(recentEntries(localStorage, app, [])).toEqual([])
    await switchAccount(app, account.id)
    expect(recentEntries(localStorage, app, [])).toHaveLength(1)
  })

  it.each(['', '{', '5', '{"a":1}', 'null'])('is nothing where %j is stored', async (stored) => {
    rememberUse(localStorage, await appOf(), entry('a'))
    const name = localStorage.key(0)
    if (name === null) throw new Error('Nothing was stored')
    localStorage.setItem(name, stored)
    expect(recentIds(localStorage)).toEqual([])
  })

  it('is forgotten where storage refuses', async () => {
    const refusing = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException('Full', 'QuotaExceededError')
      },
    } as unknown as Storage
    rememberUse(refusing, await appOf(), entry('a'))
    expect(recentIds(refusing)).toEqual([])
  })
})
