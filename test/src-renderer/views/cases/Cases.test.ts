import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import type { CaseId, ShownCase } from '#shared/cases/case.ts'
import type { Instant } from '#shared/values/ids.ts'
import { FakeDesk, account, failed, good, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { madeCase } from '#test/src-renderer/helpers/made-case.ts'
import { show, type } from '#test/src-renderer/helpers/show.ts'

const at = (day: number) => Date.UTC(2026, 10, day, 9) as Instant
const caseOf = (last: string, changes: Partial<ShownCase>, name: string): ShownCase => ({
  ...madeCase,
  ...{ id: `4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b${last}` as CaseId, ...changes },
  entry: { ...madeCase.entry, name },
})
const sent = caseOf('11', { savedAt: at(17), sentAt: at(18) }, 'Newsletter of autumn')
const saved = caseOf('12', { savedAt: at(19) }, 'Cheap clicks')
const started: ShownCase = {
  ...caseOf('13', { begunAt: at(16) }, 'Popunder'),
  entry: { ...madeCase.entry, name: 'Popunder', files: [] },
}

async function opened(cases: readonly ShownCase[], address = '#/cases') {
  const desk = new FakeDesk({ accounts: [account, otherAccount] }).answer('cases/list', () => good(cases))
  show(desk, address)
  await screen.findByRole('heading', { level: 1, name: 'Cases' })
  return { desk, names: () => screen.getAllByRole('listitem').flatMap(nameIn) }
}

const nameIn = (item: HTMLElement) => {
  const link = item.closest('ul[aria-label="Cases"]') && within(item).queryByRole('link')
  return link ? [link.textContent] : []
}
const listed = (name: string) => {
  const item = screen.getByRole('link', { name }).closest('li')
  if (!item) throw new Error(`${name} is not listed`)
  return within(item)
}

describe('all cases', () => {
  it('are listed in the order of the service, each with its scope and how far it has come', async () => {
    const { names } = await opened([sent, saved, started])
    await waitFor(() => expect(names()).toEqual(['Newsletter of autumn', 'Cheap clicks', 'Popunder']))
    listed('Newsletter of autumn').getByText(/^Sent Nov 18/)
    listed('Cheap clicks').getByText(/^Pack saved Nov 19/)
    listed('Cheap clicks').getByText(/1 archive of raw rows$/)
    listed('Popunder').getByText(/^Started Nov 16/)
    listed('Popunder').getByText('No raw rows yet')
    listed('Popunder').getByText(/^Script · All instances · Source newsletter/)
    const way = within(screen.getByRole('navigation', { name: 'Main' })).getByRole('link', { name: 'Cases' })
    expect(way.getAttribute('aria-current')).toBe('page')
  })

  it('are searched by name, scope and state, in any order of words, which the address says', async () => {
    const { names } = await opened([sent, saved, started])
    type(await screen.findByRole('searchbox'), 'saved CHEAP')
    await waitFor(() => expect(names()).toEqual(['Cheap clicks']))
    expect(window.location.hash).toBe('#/cases?search=saved+CHEAP')
    screen.getByText('1 of 3 cases')
    type(screen.getByRole('searchbox'), 'nobody')
    await screen.findByRole('heading', { name: 'No case matches “nobody”' })
    await fireEvent.click(screen.getByRole('button', { name: 'Clear the search' }))
    await waitFor(() => expect(names()).toHaveLength(3))
  })

  it('are not come back to by a search that was typed as the view was left', async () => {
    await opened([sent, saved, started])
    const field = await screen.findByRole('searchbox')
    field.focus()
    type(field, 'cheap')
    window.location.hash = '#/overview'
    // As a browser does with a focused field that goes away; this one does not.
    field.dispatchEvent(new FocusEvent('blur'))
    await screen.findByRole('heading', { level: 1, name: 'Overview' })
    expect(window.location.hash).toBe('#/overview')
  })

  it('say how one is started where there is none, and why where they cannot be read', async () => {
    const { desk } = await opened([])
    await screen.findByRole('heading', { name: 'No cases yet' })
    expect(screen.queryByRole('searchbox')).toBeNull()
    desk.answer('cases/list', () => failed('internal'))
    desk.emit('accounts/changed', { active: otherAccount.id, accounts: [account, otherAccount] })
    await screen.findByRole('heading', { name: 'Something went wrong inside Traffic Desk' })
  })
})
