import { screen, waitFor } from '@testing-library/svelte'
import { beforeEach, expect, it } from 'vitest'
import { FakeDesk } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt, type } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

it('says at the field which days stay while a day is rejected', async () => {
  const view = '#/reports/script/browsers?compare-start=2026-11-02&compare-end=2026-11-04'
  show(new FakeDesk(), view)
  const end = await screen.findByLabelText<HTMLInputElement>('Comparison end')
  type(end, '2026-11-01')
  end.dispatchEvent(new Event('change', { bubbles: true }))
  await waitFor(() => expect(end.getAttribute('aria-invalid')).toBe('true'))
  const about = (end.getAttribute('aria-describedby') ?? '').split(' ')
  const words = about.map((id) => document.getElementById(id)?.textContent)
  expect(words).toEqual(['End is before start.', expect.stringMatching(/^Still set: Nov 2\s–\s4, 2026\.$/)])
  expect(window.location.hash).toBe(view)
})
