import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, good } from '#test/src-renderer/helpers/fake-desk.ts'
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
    expect(screen.getByRole('region', { name: 'Messages' }).textContent).toContain('“Weekly” is requested.')
  }, 20_000)

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
    const sets = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Remembered sets' })
    const words = () =>
      within(sets)
        .getAllByRole('option')
        .map((each) => each.textContent)
    expect(words()).toEqual([
      'As last time: Source, Result and 2 more',
      '“Pages”: Page, Referrer',
      'Template “Weekly bad traffic, client X”: Source, Result and 2 more',
    ])
    expect(sets.selectedOptions[0]?.textContent).toContain('As last time')
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
    await waitFor(() => expect(sets.selectedOptions[0]?.textContent).toBe('As chosen'))
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
    expect(screen.getByText('Left out, because it is not offered: Moon phase, Additional 40.')).toBeTruthy()
    expect(column('Source').checked).toBe(true)
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Value' }).value).toBe('x')
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
      await screen.findByText('This is what you filled in before.')
      expect(field('Name').value).toBe(name)
      await fireEvent.click(screen.getByRole('button', { name: 'Start over' }))
      await waitFor(() => expect(field('Name').value).toBe(''))
      expect(screen.queryByText('This is what you filled in before.')).toBeNull()
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
    expect(screen.getByText(/sent before, and the answer was lost\..*there are two\.$/)).toBeTruthy()
    cleanup()
    await open(of, `request:${waits.id}`)
    expect(screen.queryByText(/sent before/)).toBeNull()
  })

  it('says so where what it was to begin with is gone', async () => {
    show(desk(), '#/raw?form=template:5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a01')
    expect((await screen.findByRole('alert')).textContent).toContain('This template is not there any more.')
  })
})
