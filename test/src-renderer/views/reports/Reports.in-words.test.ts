import { fireEvent, screen, waitFor } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { FakeDesk } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const press = (key: string, held: { shiftKey?: boolean } = {}) =>
  fireEvent.keyDown(screen.getByRole('grid'), { key, ...held })

const said = (words: RegExp) =>
  waitFor(() =>
    expect(
      Array.from(document.querySelectorAll('[aria-live="polite"]')).some(({ textContent }) =>
        words.test(textContent?.trim() ?? ''),
      ),
    ).toBe(true),
  )

describe('a report, for who does not see it', () => {
  it('says how many rows came, in which order, and which page', async () => {
    show(new FakeDesk(), '#/reports/script/browsers')
    await screen.findByRole('grid', { name: 'Script by browser' })
    await said(/^[\d,]+ rows of Script by browser, by Requests descending(, page 1 of \d+)?$/)
  })

  it('keeps the keys at a header that it is sorted by, for the second and the third', async () => {
    show(new FakeDesk(), '#/reports/script/browsers')
    const grid = await screen.findByRole('grid', { name: 'Script by browser' })
    const header = () => document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')
    await press('Home')
    await press('ArrowUp')
    await press('ArrowUp')
    await press('ArrowRight')
    await press('Enter')
    await said(/by Requests ascending/)
    expect(header()).toBe(screen.getByRole('columnheader', { name: 'Requests' }))
    await press('ArrowRight')
    await press('Enter', { shiftKey: true })
    await said(/by Requests ascending, then Bad descending/)
    expect(header()).toBe(screen.getByRole('columnheader', { name: 'Bad' }))
  })
})
