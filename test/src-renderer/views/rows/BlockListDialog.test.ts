import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { ListOrigin, StoredList } from '#shared/archives/block-list.ts'
import { badResults } from '#shared/archives/rows.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { FakeDesk } from '#test/src-renderer/helpers/fake-desk.ts'
import { account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { madeFile, madeRows, rowsDesk } from '#test/src-renderer/helpers/made-rows.ts'
import { choose, show, type } from '#test/src-renderer/helpers/show.ts'

const opened = `#/rows/${madeFile}`

async function openedList(desk: FakeDesk): Promise<HTMLElement> {
  show(desk, opened)
  await fireEvent.click(await screen.findByRole('button', { name: 'Make block list' }))
  return screen.findByRole('dialog', { name: 'Make block list' })
}

describe('a block list', () => {
  it('is made of the addresses of bad rows, and saved', async () => {
    const desk = rowsDesk()
    const dialog = await openedList(desk)
    type(within(dialog).getByRole('textbox', { name: 'Never block' }), '198.51.0.0/24')
    choose(within(dialog).getByRole('combobox', { name: 'Block' }), 'Networks (/24, or /64 for IPv6)')
    await within(dialog).findByText('Left out: 1 on your never-block list.', { exact: false })
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Save list' }))
    const [saved] = desk.argumentsOf('rows/save-list')
    // Seven networks, of which one is not to be blocked: 1, 2–3 and 4–5, 6.
    expect(saved).toMatchObject({ ending: 'txt', name: 'Block list of Responses of the week' })
    expect(saved?.ranges).toHaveLength(4)
    expect(saved?.text).toBe('198.51.1.0/24\n198.51.2.0/23\n198.51.4.0/23\n198.51.6.0/24\n')
  })

  it('holds nothing that the settings never block, and tells what earlier lists were made of', async () => {
    const desk = rowsDesk()
      .answer('settings/read', () => good({ ...usualSettings, neverBlocked: ['198.51.0.0/16'] }))
      .answer('rows/lists', () =>
        good([
          {
            ...{ id: 4, name: 'Block list of last week', entries: 12, madeAt: 1_763_000_000_000 as Instant },
            seen: { first: 1_762_400_000_000 as Instant, last: 1_762_900_000_000 as Instant },
            expired: 3,
            origin: {
              ...{ address: '#/rows/file-F9', archives: ['Last week'], period: null },
              ...{ filters: [{ words: 'RESULT is', value: 'bad' }], column: 'REMOTE ADDRESS' },
              ...{ by: 'network', minBad: 1, minShare: 0, format: 'lines', campaign: '', onlyNew: false },
              expiry: 30,
            },
          },
        ]),
      )
    const dialog = await openedList(desk)
    await within(dialog).findByText('0 entries.')
    await within(dialog).findByText('Earlier lists: 1')
    within(dialog).getByText(
      'Networks of REMOTE ADDRESS in Last week · RESULT is bad · expires after 30 days · only addresses with bad rows',
    )
    within(dialog).getByText(/· 12 entries · seen .*2025 · 3 expired ·/)
    expect(within(dialog).getByText('Block list of last week').closest('a')?.getAttribute('href')).toBe(
      '#/rows/file-F9',
    )
  })

  it('says what it blocks before it is saved, and asks for more of an address', async () => {
    const desk = rowsDesk()
    const dialog = await openedList(desk)
    const addresses = new Map<string, { rows: number; bad: number }>()
    for (const row of madeRows) {
      const before = addresses.get(row['REMOTE ADDRESS']) ?? { rows: 0, bad: 0 }
      const bad = before.bad + (badResults.includes(row.RESULT) ? 1 : 0)
      addresses.set(row['REMOTE ADDRESS'], { rows: before.rows + 1, bad })
    }
    const [worst] = [...addresses.values()].sort((one, other) => other.bad - one.bad)
    type(within(dialog).getByRole('spinbutton', { name: 'Minimum bad rows' }), String(worst?.bad))
    choose(within(dialog).getByRole('combobox', { name: 'Format' }), 'Google Ads')
    const chosen = [...addresses.values()].filter(({ bad }) => bad >= (worst?.bad ?? 0))
    const [bad, rows] = [
      chosen.reduce((sum, one) => sum + one.bad, 0),
      chosen.reduce((sum, one) => sum + one.rows, 0),
    ]
    await within(dialog).findByText(`Blocks ${bad} bad and ${rows - bad} other rows of these days.`, {
      exact: false,
    })
    within(dialog).getByText('Google Ads accepts 500 entries per campaign.')
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Save list' }))
    expect(desk.argumentsOf('rows/save-list')[0]?.origin).toMatchObject({
      ...{ format: 'google-ads', minBad: worst?.bad, minShare: 0 },
    })
  })

  it('is not made for a platform that blocks no addresses, and says what to do instead', async () => {
    const dialog = await openedList(rowsDesk())
    choose(within(dialog).getByRole('combobox', { name: 'Format' }), 'Meta Ads')
    await within(dialog).findByText(
      /^Meta blocks no addresses, only publishers\. Block addresses on your own/,
    )
    await within(dialog).findByText(/^0 entries\./)
    await within(dialog).findByText(/that Meta Ads does not accept/)
    const save = within(dialog).getByRole('button', { name: 'Save list' })
    await waitFor(() => expect(save.getAttribute('aria-disabled')).toBe('true'))
  })

  it('holds what was not exported before, which can be taken back', async () => {
    const to = { format: 'google-ads', campaign: 'Autumn' } as const
    const stored = (id: number, origin: Partial<ListOrigin>): StoredList => ({
      ...{ id, name: `List ${id}`, entries: 12, madeAt: id as Instant, seen: null, expired: 0 },
      origin: {
        ...{ address: '#/rows/file-F9', archives: ['Last week'], period: null, filters: [] },
        ...{ column: 'REMOTE ADDRESS', by: 'value', minBad: 1, minShare: 0, onlyNew: true },
        ...{ format: 'lines', campaign: '', expiry: null },
        ...origin,
      },
    })
    const lists = [stored(3, to), stored(2, {}), stored(1, to)]
    const desk = rowsDesk().answer('rows/lists', () => good(lists))
    const dialog = await openedList(desk)
    choose(within(dialog).getByRole('combobox', { name: 'Format' }), 'Google Ads')
    type(within(dialog).getByRole('textbox', { name: 'Campaign (optional)' }), ' Autumn ')
    await fireEvent.click(within(dialog).getByRole('checkbox', { name: 'New since last export' }))
    await waitFor(() =>
      expect(desk.argumentsOf('rows/block-list').at(-1)).toMatchObject({ ...to, onlyNew: true }),
    )
    // Only the last of each platform and campaign.
    const buttons = within(dialog).getAllByRole('button', { name: 'Undo export', hidden: true })
    expect(buttons).toHaveLength(2)
    const counted = desk.argumentsOf('rows/block-list').length
    await fireEvent.click(buttons[0] ?? dialog)
    expect(desk.argumentsOf('rows/undo-list')).toEqual([{ account: account.id, list: 3 }])
    await waitFor(() => expect(desk.argumentsOf('rows/block-list').length).toBeGreaterThan(counted))
    await waitFor(() => expect(desk.argumentsOf('rows/lists')).toHaveLength(2))
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Save list' }))
    expect(desk.argumentsOf('rows/save-list')[0]?.origin).toMatchObject({ ...to, onlyNew: true })
  })

  it('expires days after its addresses were last seen, and says so', async () => {
    const desk = rowsDesk()
    const none = { reserved: 0, allowed: 0, nonsense: 0, exported: 0, refused: 0, mild: 0, beyond: 0 }
    desk.answer('rows/block-list', ({ expiry }) =>
      good({
        ...{ text: '198.51.100.7\n', entries: 1, more: 0, blocked: { rows: 2, bad: 2 } },
        ranges: [
          {
            range: '198.51.100.7',
            seen: { first: 1_762_400_000_000 as Instant, last: 1_762_900_000_000 as Instant },
          },
        ],
        leftOut: { ...none, expired: expiry === 30 ? 12 : 0 },
      }),
    )
    const dialog = await openedList(desk)
    expect((await within(dialog).findByText(/Seen .*2025/)).textContent).not.toContain('expired')
    choose(within(dialog).getByRole('combobox', { name: 'Expire' }), '30 days after last seen')
    await within(dialog).findByText(/Seen .* Left out: 12 expired\./)
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Save list' }))
    expect(desk.argumentsOf('rows/save-list')[0]).toMatchObject({
      origin: { expiry: 30 },
      ranges: [{ range: '198.51.100.7', seen: { last: 1_762_900_000_000 } }],
    })
  })

  it('is given up while it is counted, by a button or with its dialog', async () => {
    let giveUp: () => void = () => undefined
    const desk = rowsDesk()
      .answer(
        'rows/block-list',
        () => new Promise((resolve) => (giveUp = () => resolve(failed('cancelled')))),
      )
      .answer('rows/cancel', ({ key }) => {
        if (key === 'block list') giveUp()
        return good(null)
      })
    const dialog = await openedList(desk)
    await waitFor(() => expect(desk.argumentsOf('rows/block-list')).toHaveLength(1))
    const progress = { account: account.id, key: 'block list', done: 4, total: 10, unit: 'rows' as const }
    desk.emit('reports/progress', progress)
    await within(dialog).findByText('4 of 10 rows')
    const given = () => desk.argumentsOf('rows/cancel').filter(({ key }) => key === 'block list').length
    expect(given()).toBe(0)
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    expect(given()).toBe(1)
    await fireEvent.click(await within(dialog).findByRole('button', { name: 'Count again' }))
    await waitFor(() => expect(desk.argumentsOf('rows/block-list')).toHaveLength(2))
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Close make block list' }))
    await waitFor(() => expect(given()).toBe(2))
  })

  it('says what it was made of, where that is wished', async () => {
    const desk = rowsDesk()
    const dialog = await openedList(desk)
    await fireEvent.click(within(dialog).getByRole('checkbox', { name: /Add a comment header/ }))
    await waitFor(() =>
      expect(within(dialog).getByRole('region', { name: 'Preview' }).textContent).toMatch(/^# Block list by/),
    )
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Save list' }))
    const [saved] = desk.argumentsOf('rows/save-list')
    expect(saved?.origin).toMatchObject({
      ...{ address: opened, archives: ['Responses of the week'], filters: [], column: 'REMOTE ADDRESS' },
    })
    expect(saved?.text.split('\n')[1]).toMatch(/^# Addresses of REMOTE ADDRESS in Responses of the week · /)
  })
})
