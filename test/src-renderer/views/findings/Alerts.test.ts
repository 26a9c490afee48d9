import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import { show } from '#test/src-renderer/helpers/show.ts'
import { alert, deskWithFindings } from '#test/src-renderer/helpers/watched.ts'

const press = async (name: string | RegExp) => fireEvent.click(await screen.findByRole('button', { name }))
const listed = async () =>
  within(await screen.findByRole('list', { name: 'Alerts' })).findAllByRole('listitem')
const ready = (name: string) => screen.findByRole('switch', { name })

describe('alerts', () => {
  it('are listed with what they watch, their limits and how far they have judged', async () => {
    const { desk } = deskWithFindings(
      [],
      [
        alert(1, { leastRequests: 500, weekdays: [1, 2], telling: 'morning' }),
        alert(2, { condition: { kind: 'above', value: 20 }, row: 'text news', notJudged: 'view-gone' }),
      ],
    )
    show(desk, '#/findings/alerts')
    const [first, second] = await listed()
    expect(first?.textContent).toMatch(
      /Bad rate unusual.*Script by source.*from 500 requests.*Mon, Tue.*morning/s,
    )
    expect(first?.textContent).toMatch(/Judged up to .*Nov 19/)
    expect(second?.textContent).toMatch(/Bad rate above 20\.0%.*news.*this view no longer exists/s)
  })

  it('are removed with an undo, and opened for editing', async () => {
    const { desk, alerts } = deskWithFindings([], [alert(1)])
    show(desk, '#/findings/alerts')
    await press(/^Remove alert/)
    await waitFor(() => expect(alerts()).toEqual([]))
    await press('Undo')
    await waitFor(() => expect(alerts()).toHaveLength(1))
    await press(/^Edit alert/)
    await screen.findByRole('dialog', { name: 'Edit alert' })
  })

  it('have ready-made ones, off until switched on, for each family', async () => {
    const { desk, alerts } = deskWithFindings([], [])
    show(desk, '#/findings/alerts')
    const source = await ready('Unusual rate of a source')
    expect(source.getAttribute('aria-checked')).toBe('false')
    await fireEvent.click(source)
    await waitFor(async () =>
      expect((await ready('Unusual rate of a source')).getAttribute('aria-checked')).toBe('true'),
    )
    await fireEvent.click(await ready('A source stopped'))
    await waitFor(() => expect(alerts()).toHaveLength(2))
    await fireEvent.click(await ready('Rule mix of an instance'))
    await waitFor(() => expect(alerts()).toHaveLength(3))
    expect(
      desk.argumentsOf('alerts/add').map(({ entry }) => [entry.view, entry.measure, entry.condition]),
    ).toEqual([
      ['#/reports/script/sources', 'bad-rate', { kind: 'unusual' }],
      ['#/reports/script/sources', 'requests', { kind: 'stopped' }],
      ['#/reports/script/sessions', 'rule-mix', { kind: 'unusual' }],
    ])
    await fireEvent.click(screen.getByRole('radio', { name: 'Direct' }))
    expect((await ready('Unusual rate of a source')).getAttribute('aria-checked')).toBe('false')
    await fireEvent.click(screen.getByRole('radio', { name: 'Script' }))
    await fireEvent.click(await ready('A source stopped'))
    await waitFor(() => expect(alerts()).toHaveLength(2))
  })
})
