import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { instanceNames } from '#test/src-renderer/helpers/figures.ts'
import { listed, recordOf, request, template } from '#test/src-renderer/helpers/raw-reports.ts'
import { choose, pick, show, type } from '#test/src-renderer/helpers/show.ts'
import { asked, column, desk, field, group, open, send } from '#test/src-renderer/helpers/raw-form.ts'

const today = dayAt(Date.now(), 'UTC')

describe('the form of a new raw report', () => {
  it('opens from the list under its names, and goes back to it', async () => {
    show(desk(), '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'New raw report' }))
    await screen.findByRole('button', { name: 'Request report' })
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'New raw report' })),
    )
    for (const name of ['Type', 'Instance', 'Start', 'End', 'Name']) expect(field(name)).toBeTruthy()
    for (const name of ['Standard columns', 'Additional columns', 'Filters']) {
      expect(screen.getByRole('group', { name })).toBeTruthy()
    }
    expect(screen.getByRole('switch', { name: 'Email me when ready' }).getAttribute('aria-checked')).toBe(
      'false',
    )
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(await screen.findByRole('heading', { name: 'Raw reports' })).toBeTruthy()
  })

  it('asks for what was filled in', async () => {
    const of = desk()
    await open(of)
    choose(field('Type'), 'Request')
    await pick('Instance', 'Meridian Outdoor – EMEA')
    type(field('Start'), addDays(today, -3))
    type(field('End'), today)
    type(field('Name'), 'Weekly')
    await fireEvent.click(group('Standard columns').getByRole('button', { name: 'None' }))
    for (const name of ['Source', 'External ID']) await fireEvent.click(column(name))
    await fireEvent.click(group('Additional columns').getByRole('checkbox', { name: 'Additional 4' }))
    await fireEvent.click(screen.getByRole('switch', { name: 'Email me when ready' }))
    await send()
    await waitFor(() => expect(asked(of)).toBeTruthy())
    expect(asked(of)).toEqual({
      account: account.id,
      template: null,
      draft: {
        type: 'request',
        instance: '101',
        start: addDays(today, -3),
        end: today,
        name: 'Weekly',
        standard: ['source', 'exid'],
        additional: [4],
        filters: [],
        email: true,
      },
    })
    await waitFor(() => expect(window.location.hash).toBe('#/raw'))
    expect(screen.getByRole('region', { name: 'Messages' }).textContent).toContain('“Weekly” requested.')
  })

  it('lists instances only, and all of them together', async () => {
    await open(desk())
    await fireEvent.click(field('Instance'))
    await screen.findByRole('option', { name: 'Meridian Outdoor – EMEA' })
    const list = within(screen.getByRole('listbox', { name: 'Choices' }))
    const options = list.getAllByRole('option').map(({ textContent }) => textContent.trim())
    expect(options).toEqual(['All instances', ...instanceNames])
  })

  it('says what rows of each type are', async () => {
    await open(desk())
    const described = () => field('Type').getAttribute('aria-describedby')?.split(' ') ?? []
    const hint = () => described().map((id) => document.getElementById(id)?.textContent.trim())
    expect(hint()).toContain('Script: requests with a response, with results and rule sets.')
    choose(field('Type'), 'Direct')
    await waitFor(() => expect(hint()).toContain('Direct: all requests, with results and rule sets.'))
  })

  it('asks for every instance, a request each, and says so before', async () => {
    const of = desk().answer('raw/request-all', () => good(null))
    await open(of)
    await pick('Instance', 'All instances')
    await screen.findByText('5 requests, one per instance.')
    type(field('Name'), 'Weekly')
    await fireEvent.click(screen.getByRole('button', { name: 'Request 5 reports' }))
    await waitFor(() => expect(window.location.hash).toBe('#/raw'))
    expect(of.argumentsOf('raw/request')).toEqual([])
    const [sent, ...again] = of.argumentsOf('raw/request-all')
    expect(again).toEqual([])
    expect(sent?.drafts.map(({ instance, name }) => [instance, name])).toEqual(
      instanceNames.map((name, place) => [String(101 + place), `Weekly, ${name}`]),
    )
    expect(screen.getByRole('region', { name: 'Messages' }).textContent).toContain('5 reports requested.')
  })

  it('is of all instances where the view is, and says so', async () => {
    const of = desk()
    show(of, `#/raw?form=${encodeURIComponent('view::#/overview')}`)
    expect(await screen.findByRole('button', { name: 'Request 5 reports' })).toBeTruthy()
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Instance' }).value).toBe('All instances')
    expect(screen.getByText('5 requests, one per instance.')).toBeTruthy()
  })

  it('does not send for every instance while it is not known which there are', async () => {
    const of = desk().answer('raw/request-all', () => good(null))
    await open(of)
    await screen.findByRole('combobox', { name: 'Instance' })
    of.answer('lookups/instances', () => failed('timed-out'))
    await pick('Instance', 'All instances')
    await screen.findByText('Words about timed-out.')
    await send()
    expect([of.argumentsOf('raw/request'), of.argumentsOf('raw/request-all')]).toEqual([[], []])
  })

  it('takes its days from the period control of every view, as far back as a report may begin', async () => {
    await open(desk())
    const period = () => within(screen.getByRole('group', { name: 'Period' })).getByRole('button')
    expect(period().getAttribute('aria-label')).toBe('Period: Last 7 days')
    await fireEvent.click(period())
    const dialog = within(await screen.findByRole('dialog', { name: 'Choose days' }))
    expect(dialog.queryByRole('button', { name: 'Last quarter' })).toBeNull()
    await fireEvent.click(dialog.getByRole('button', { name: 'Yesterday' }))
    await waitFor(() => expect(field('Start').value).toBe(addDays(today, -1)))
    expect(field('End').value).toBe(addDays(today, -1))
    type(field('Start'), addDays(today, -4))
    await waitFor(() => expect(period().textContent).not.toContain('Yesterday'))
  })

  it('offers the sets of columns that are remembered', async () => {
    const set = (standard: string[], additional: number[], name: string) => ({ standard, additional, name })
    const of = desk()
      .answer('raw/last-columns', () =>
        good({
          response: [set(['source', 'result', 'country'], [2], ''), set(['page', 'referrer'], [], 'Pages')],
          direct: [set(['app_id'], [], '')],
        }),
      )
      .answer('raw/templates', () => good([template(300)]))
    await open(of)
    const sets = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Recent sets' })
    const words = () =>
      within(sets)
        .getAllByRole('option')
        .map((each) => each.textContent)
    expect(words()).toEqual([
      'Last used: Source, Result and 2 more',
      '“Pages”: Page, Referrer',
      'Template “Weekly bad traffic, client X”: Source, Result and 2 more',
    ])
    expect(sets.selectedOptions[0]?.textContent).toContain('Last used')
    choose(sets, '“Pages”: Page, Referrer')
    await waitFor(() => expect(column('Page').checked).toBe(true))
    expect([column('Source').checked, column('Referrer').checked]).toEqual([false, true])
    expect(
      group('Additional columns').getByRole<HTMLInputElement>('checkbox', {
        checked: false,
        name: 'Additional 2',
      }),
    ).toBeTruthy()
    await fireEvent.click(column('Page'))
    await waitFor(() => expect(sets.selectedOptions[0]?.textContent).toBe('Custom'))
  })

  it('takes a report over, and says what it could not', async () => {
    const record = recordOf(listed('r-1'), {
      columns: { standard: ['source', 'moon_phase'], additional: [2, 40] },
      filters: [{ column: 'source', operator: 'contains', value: 'x' }],
    })
    await open(
      desk().answer('raw/report', () => good(record)),
      'report:r-1',
    )
    expect(screen.getByText('Left out because not available: Moon phase, Additional 40.')).toBeTruthy()
    expect(column('Source').checked).toBe(true)
    const value = screen.getByRole<HTMLInputElement>('textbox', { name: 'Value' })
    expect(value.value).toBe('x')
    await fireEvent.input(value, { target: { value: '\u200b“Search\u00a0Ads”' } })
    await fireEvent.change(value)
    await waitFor(() => expect(value.value).toBe('Search Ads'))
  })

  it.each([
    ['right', 'Half a name'],
    ['wrong', 'x'.repeat(1001)],
  ])(
    'still holds what was filled in %s when one comes back to it, until one starts over',
    async (_, name) => {
      const of = desk()
      await open(of)
      type(field('Name'), name)
      await fireEvent.click(screen.getByRole('link', { name: 'Downloads' }))
      await screen.findByRole('heading', { name: 'Downloads' })
      window.history.back()
      await screen.findByText('Your unsent entries are still here.')
      expect(field('Name').value).toBe(name)
      await fireEvent.click(screen.getByRole('button', { name: 'Start over' }))
      await waitFor(() => expect(field('Name').value).toBe(''))
      expect(screen.queryByText('Your unsent entries are still here.')).toBeNull()
    },
  )

  it('takes the place of the request that it began with', async () => {
    const waits = request(1, { kind: 'waiting', for: 'turn' }, { name: 'Changed' })
    const of = desk().answer('raw/queue', () => good({ requests: [waits], limits: null }))
    await open(of, `request:${waits.id}`)
    await send()
    await waitFor(() => expect(asked(of)).toMatchObject({ replaces: waits.id }))
    expect(of.argumentsOf('raw/drop-request')).toEqual([])
  })

  it('says what may come of changing a request that may have become a report', async () => {
    const [sent, waits] = [
      request(1, { kind: 'unclear', since: 0 as Instant }),
      request(2, { kind: 'waiting', for: 'turn' }),
    ]
    const of = desk().answer('raw/queue', () => good({ requests: [sent, waits], limits: null }))
    await open(of, `request:${sent.id}`)
    expect(screen.getByText(/sent before, but the reply was lost\..*you get two\.$/)).toBeTruthy()
    cleanup()
    await open(of, `request:${waits.id}`)
    expect(screen.queryByText(/sent before/)).toBeNull()
  })

  it('says so where what it was to begin with is gone', async () => {
    show(desk(), '#/raw?form=template%3A5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a01')
    expect((await screen.findByRole('alert')).textContent).toContain('This template no longer exists.')
  })
})
