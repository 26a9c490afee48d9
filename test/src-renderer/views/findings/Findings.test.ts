import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { usualSettings } from '#shared/app/settings.ts'
import { day } from '#shared/values/day.ts'
import type { Finding } from '#shared/watch/alerts.ts'
import { FakeDesk, account, failed, good, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { choose, show, standAt } from '#test/src-renderer/helpers/show.ts'
import { alert, band, deskWithFindings, finding, preview } from '#test/src-renderer/helpers/watched.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const list = () => screen.findByRole('list', { name: 'Findings' })
const lines = async () => within(await list()).findAllByRole('link')
const names = async () => (await lines()).map((line) => line.querySelector('.subject')?.textContent)
const press = async (name: string | RegExp) => fireEvent.click(await screen.findByRole('button', { name }))
const opened = (title: string) => screen.findByRole('region', { name: title })

const all = [
  finding(1),
  finding(2, { seen: true, state: 'over', to: day('2026-11-20') }),
  finding(3, { seen: true, state: 'withdrawn', settled: 5.3 }),
  finding(4, { seen: true, dismissed: 'known' }),
  finding(5, { row: null, rows: ['text a', 'text b'], state: 'so-far', z: null }),
]

describe('findings', () => {
  it('are counted in the side bar, listed with their figures, and filtered', async () => {
    const { desk } = deskWithFindings(all)
    show(desk, '#/findings')
    expect(await names()).toEqual(['source-1', 'source-2', 'source-3', 'source-4', '2 sources at once'])
    const way = within(screen.getByRole('navigation', { name: 'Main' })).getByRole('link', {
      name: /^Findings/,
    })
    expect(within(way).getByTitle('2 new').textContent).toBe('2')
    const [first, , third, fourth, fifth] = await lines()
    expect(first?.textContent).toMatch(/New: .*12\.4%.*usually 5\.1%.*since .*very clear/s)
    expect(third?.textContent).toMatch(/12\.4%.* → 5\.3%.*Withdrawn/s)
    expect(fourth?.textContent).toContain('Known')
    expect(fifth?.textContent).toContain('So far')
    await fireEvent.click(screen.getByRole('radio', { name: 'New' }))
    expect(await names()).toEqual(['source-1', '2 sources at once'])
    await fireEvent.click(screen.getByRole('radio', { name: 'Open' }))
    expect(await names()).toEqual(['source-1', '2 sources at once'])
    expect(screen.getByText('Dismissed as wrong in the last 90 days: 2 of 31 findings.')).toBeTruthy()
  })

  it('are counted in the side bar without being read', async () => {
    const { desk } = deskWithFindings(all)
    // Charts of days mark findings, so they read them.
    show(desk, '#/downloads')
    const main = within(await screen.findByRole('navigation', { name: 'Main' }))
    expect((await main.findByTitle('2 new')).textContent).toBe('2')
    expect(desk.argumentsOf('findings/list')).toEqual([])
  })

  it('are walked through by the keys of a mail program, and one that is open is seen', async () => {
    const { desk, findings } = deskWithFindings(all)
    show(desk, '#/findings')
    const [first] = await lines()
    first?.focus()
    await fireEvent.keyDown(await list(), { key: 'j' })
    await opened('source-2')
    expect(document.activeElement?.textContent).toContain('source-2')
    await fireEvent.keyDown(await list(), { key: 'ArrowUp' })
    await opened('source-1')
    expect(window.location.hash).toBe(`#/findings/${finding(1).id}`)
    await waitFor(() => expect(findings()[0]?.seen).toBe(true))
    await fireEvent.keyDown(await list(), { key: 'End' })
    const detail = within(await opened('2 sources at once'))
    expect(detail.getByText('So far: these figures can still change.')).toBeTruthy()
    expect((await lines()).map((line) => line.tabIndex)).toEqual([-1, -1, -1, -1, 0])
  })

  it('stay listed under New while they are read', async () => {
    const { desk, findings } = deskWithFindings(all)
    show(desk, '#/findings')
    await fireEvent.click(await screen.findByRole('radio', { name: 'New' }))
    const [, second] = await lines()
    if (second) await fireEvent.keyDown(second, { key: 'End' })
    await waitFor(() => expect(findings()[4]?.seen).toBe(true))
    expect(await names()).toEqual(['source-1', '2 sources at once'])
    await press('Mark all as seen')
    await waitFor(() => expect(findings().every(({ seen }) => seen)).toBe(true))
  })

  it('that ended long ago are listed when asked for, and the open one is', async () => {
    const over = { seen: true, state: 'over', to: day('2026-11-20') } as const
    const many = Array.from({ length: 450 }, (_, nth) => finding(100 + nth, over))
    const last = finding(900, over)
    const { desk } = deskWithFindings([...many, finding(7), last, finding(8, { ...over, seen: false })])
    show(desk, '#/findings')
    // Open ones, new ones, and the newest others.
    await waitFor(async () => expect(await lines()).toHaveLength(202))
    expect((await names()).slice(-2)).toEqual(['source-7', 'source-8'])
    await press('Show older findings (200 of 251)')
    await waitFor(async () => expect(await lines()).toHaveLength(402))
    await waitFor(() => expect(document.activeElement?.textContent).toContain('source-300'))
    await fireEvent.click(screen.getByRole('radio', { name: 'Open' }))
    expect(await names()).toEqual(['source-7'])
    expect(screen.queryByRole('button', { name: /Show older/ })).toBeNull()
    await fireEvent.click(screen.getByRole('radio', { name: 'New' }))
    expect(await names()).toEqual(['source-7', 'source-8'])
    // Seen now, and listed all the same.
    window.location.hash = `#/findings/${finding(8).id}`
    await opened('source-8')
    expect(await names()).toEqual(['source-7', 'source-8'])
    window.location.hash = `#/findings/${last.id}`
    await opened('source-900')
    expect(await names()).toEqual(['source-7', 'source-900', 'source-8'])
  })

  it('are dismissed with a reason, which is taken back', async () => {
    const { desk, findings } = deskWithFindings([finding(1)])
    show(desk, `#/findings/${finding(1).id}`)
    await press('Dismiss')
    await fireEvent.click(
      within(await screen.findByRole('dialog', { name: 'Dismiss' })).getByRole('button', { name: 'Wrong' }),
    )
    expect(await screen.findByText('Dismissed: wrong.')).toBeTruthy()
    expect(findings()[0]?.dismissed).toBe('wrong')
    await press('Undo dismissal')
    expect(await screen.findByRole('button', { name: 'Dismiss' })).toBeTruthy()
    expect(findings()[0]?.dismissed).toBeNull()
  })

  it('are muted by row, alert or account until a day, which is ended', async () => {
    const { desk } = deskWithFindings([finding(1)])
    show(desk, `#/findings/${finding(1).id}`)
    await press('Mute')
    const form = within(await screen.findByRole('dialog', { name: 'Mute' }))
    choose(form.getByLabelText('What'), 'The whole alert')
    choose(form.getByLabelText('Until'), 'A date…')
    await fireEvent.click(form.getByRole('button', { name: 'Mute until then' }))
    expect(await form.findByText('Choose a day after today.')).toBeTruthy()
    choose(form.getByLabelText('Until'), 'A month')
    await fireEvent.click(form.getByRole('button', { name: 'Mute until then' }))
    expect(await screen.findByText(/^Muted until .*Dec 20, 2026\.$/)).toBeTruthy()
    expect(desk.argumentsOf('mutes/add')).toEqual([
      { account: account.id, subject: { kind: 'alert', alert: alert(1).id }, until: '2026-12-20' },
    ])
    await press('Change mute')
    await press('End mute: the whole alert')
    await waitFor(() =>
      expect(screen.queryByText(/^Muted until .*\.$/, { selector: 'section p' })).toBeNull(),
    )
  })

  it('show the line that they crossed, also if their alert has another one now', async () => {
    const found = finding(1, { condition: 'above', usual: 10, z: null })
    const { desk } = deskWithFindings([found], [alert(1, { condition: { kind: 'above', value: 90 } })])
    const line = band.map((each) => ({ ...each, usual: null, low: null, high: 10 }))
    desk.answer('alerts/preview', () => good({ ...preview, band: line }))
    show(desk, `#/findings/${found.id}`)
    const chart = await within(await opened('source-1')).findByRole('img')
    expect(chart.getAttribute('aria-label')).toMatch(/Beyond the limit: .*Nov 18.*12\.4%/)
    expect(desk.argumentsOf('alerts/preview')[0]?.entry.condition).toEqual({ kind: 'above', value: 10 })
  })

  it('lead to their days, to what explains them, to raw rows, a case and a note', async () => {
    const { desk } = deskWithFindings([finding(1)])
    show(desk, `#/findings/${finding(1).id}`)
    await opened('source-1')
    await press('What explains it')
    await screen.findByRole('dialog', { name: 'What explains it' })
    await waitFor(() => expect(desk.argumentsOf('reports/explain')).not.toEqual([]))
    expect(desk.argumentsOf('reports/explain')[0]).toMatchObject({
      before: { start: '2026-10-21', end: '2026-11-17' },
      query: { range: { start: '2026-11-18', end: '2026-11-19' }, source: 'source-1' },
    })
    await press('Close what explains it')
    await press('Add note')
    expect(await screen.findByLabelText('First day')).toHaveProperty('value', '2026-11-18')
    await press('Cancel')
    await press('New case')
    await waitFor(() =>
      expect(desk.argumentsOf('cases/begin')[0]?.entry).toMatchObject({
        about: 'source',
        subject: 'source-1',
      }),
    )
    window.location.hash = `#/findings/${finding(1).id}`
    await press('Request raw rows…')
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/raw\?.*source-1/))
    window.location.hash = `#/findings/${finding(1).id}`
    await press('Open these days')
    await waitFor(() =>
      expect(window.location.hash).toMatch(/^#\/reports\/script\/campaigns\?start=2026-11-18&end=2026-11-19/),
    )
  })

  it('of a rule mix name the rule set as the account does, and lead to the mix of the row', async () => {
    const row = { key: 'text Chrome', text: 'Chrome' }
    const mix = finding(1, { view: '#/reports/script/browsers', measure: 'rule-mix', rule: 'UE', row })
    const { desk } = deskWithFindings([mix])
    const ruleNames = [{ account: account.id, code: 'UE', name: 'User agents' }]
    desk.answer('settings/read', () => good({ ...usualSettings, ruleNames }))
    show(desk, `#/findings/${mix.id}`)
    const shown = within(await opened('Chrome'))
    await shown.findByText('User agents 12.4% of broken rule sets, usually 5.1%')
    expect(desk.argumentsOf('alerts/preview').at(-1)).toMatchObject({ rule: 'UE', entry: { row: row.key } })
    expect(shown.queryByRole('button', { name: 'What explains it' })).toBeNull()
    await press('Open these days')
    await waitFor(() => expect(window.location.hash).toMatch(/browser=Chrome.*chart=rules/))
  })

  it('of another account are opened in that account', async () => {
    const other: Finding = finding(1, { account: otherAccount.id })
    const desk = new FakeDesk({ accounts: [account, otherAccount] })
    deskWithFindings([other], [alert(1)], desk)
    show(desk, `#/findings/${other.id}`)
    await opened('source-1')
    await press('Open these days')
    await waitFor(() => expect(desk.argumentsOf('accounts/activate')).toEqual([{ account: otherAccount.id }]))
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/reports\/script\/campaigns/))
  })

  it('say why there are none: no alerts, too few days, nothing found', async () => {
    const { desk } = deskWithFindings([], [])
    show(desk, '#/findings')
    await screen.findByRole('heading', { name: 'No alerts yet' })
    desk.answer('alerts/list', () => ({
      ok: true,
      value: [alert(1, { judgedUpTo: null, notJudged: 'too-few-days', storedDays: 12 })],
    }))
    desk.emit('alerts/changed', { account: account.id })
    await screen.findByText('Not judged yet. Needs 28 days; 12 are saved.')
    desk.answer('alerts/list', () => ({ ok: true, value: [alert(1)] }))
    desk.emit('alerts/changed', { account: account.id })
    await screen.findByRole('heading', { name: 'Nothing found' })
    await screen.findByText('All watched figures are as usual.')
  })

  it('that cannot be read say so', async () => {
    const desk = new FakeDesk().answer('findings/list', () => failed('internal'))
    show(desk, '#/findings')
    await screen.findByRole('heading', { name: 'Something went wrong inside Traffic Desk' })
  })
})
