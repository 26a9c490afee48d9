import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const view = (name: string, pinned: boolean): SavedViewState => ({
  ...{ id: name as SavedViewId, name, address: `#/reports/script/browsers?search=${name}`, pinned },
  ...{ start: false, depth: null, syncing: false, failure: null, stored: null },
})

const main = () => within(screen.getByRole('navigation', { name: 'Main' }))
const names = () =>
  main()
    .getAllByRole('link')
    .map(({ textContent }) => textContent.trim())
const fold = (words: 'Collapse' | 'Expand') => screen.findByRole('button', { name: `${words} the side bar` })

async function opened(views: readonly SavedViewState[] = []) {
  show(
    new FakeDesk().answer('views/list', () => good(views)),
    '#/downloads',
  )
  await screen.findByRole('heading', { level: 1, name: 'Downloads' })
}

describe('the side bar', () => {
  it('leads to every view, in groups, and to pinned views by their names', async () => {
    await opened([view('Monday check', true), view('Only saved', false), view('Reports', true)])
    await main().findByRole('link', { name: 'Monday check' })
    expect(names()).toEqual([
      ...['Today', 'Overview', 'Reports', 'Findings'],
      ...['Raw reports', 'Raw rows', 'Downloads', 'Cases', 'Schedules'],
      ...['Monday check', 'Reports', 'Settings', 'Help'],
    ])
    const raw = within(main().getByRole('list', { name: 'Raw data' }))
    expect(raw.getAllByRole('link').map(({ textContent }) => textContent.trim())).toEqual([
      ...['Raw reports', 'Raw rows', 'Downloads'],
    ])
    expect(main().getByRole('link', { name: 'Monday check' }).getAttribute('href')).toBe(
      '#/reports/script/browsers?search=Monday check',
    )
    // A view may be called what a link is called: that link is still the only one of its name.
    expect(main().getAllByRole('link', { name: 'Reports' })).toHaveLength(1)
    main().getByRole('link', { name: 'View: Reports' })
    main().getByRole('button', { name: 'Views' })
    main().getByRole('button', { name: 'Activity' })
  })

  it('is folded and unfolded by a button, keeps the names of its links, and stays so after a restart', async () => {
    await opened([view('Monday check', true)])
    await fireEvent.click(await fold('Collapse'))
    await fold('Expand')
    expect(main().queryByRole('link', { name: 'Monday check' })).toBeNull()
    for (const name of [
      'Overview',
      'Reports',
      'Raw reports',
      'Raw rows',
      'Downloads',
      'Cases',
      'Settings',
      'Help',
    ])
      expect(main().getByRole('link', { name }).querySelector('.visually-hidden'), name).toBeTruthy()
    await opened()
    await waitFor(() => expect(screen.getAllByRole('button', { name: 'Expand the side bar' })).toBeTruthy())
  })
})
