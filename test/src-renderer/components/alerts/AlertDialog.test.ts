import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { choose, show, standAt, type } from '#test/src-renderer/helpers/show.ts'
import { alert, deskWithFindings, preview } from '#test/src-renderer/helpers/watched.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const form = async () => within(await screen.findByRole('dialog', { name: /alert$/ }))
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))
const save = async () => fireEvent.click((await form()).getByRole('button', { name: 'Save alert' }))
const field = async (name: string) => (await form()).findByLabelText(name)
const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

describe('the form of an alert', () => {
  it('is for the open report, and says what it would have told', async () => {
    const { desk } = deskWithFindings([], [])
    show(desk, '#/reports/script/sources')
    await press('New alert')
    const dialog = await form()
    expect(
      await dialog.findByText('In the last 57 days this would have notified you once.', {
        selector: '.said',
      }),
    ).toBeTruthy()
    expect(dialog.getByText('Script by source')).toBeTruthy()
    expect(dialog.getByText('Alerts save 90 days of the figures that they watch.')).toBeTruthy()
    expect(dialog.getByText('A lasting rise of about half is noticed within a week.')).toBeTruthy()
    expect(dialog.getByRole('img').getAttribute('aria-label')).toMatch(
      /Outside the usual range: .*Nov 18.*12\.4%/,
    )
    await save()
    await isClosed()
    expect(desk.argumentsOf('alerts/add')).toEqual([
      {
        account: account.id,
        entry: {
          ...{ view: '#/reports/script/sources', family: 'script', row: null, measure: 'bad-rate' },
          ...{ condition: { kind: 'unusual' }, leastRequests: 0, leastChange: 0 },
          ...{ weekdays: [1, 2, 3, 4, 5, 6, 7], telling: 'at-once' },
        },
      },
    ])
  })

  it('opens a day of its preview in the view', async () => {
    const { desk } = deskWithFindings([], [])
    show(desk, '#/reports/script/sources')
    await press('New alert')
    await fireEvent.click(
      (await (await form()).findAllByRole('button', { name: /Nov 19/ }))[0] as HTMLElement,
    )
    await isClosed()
    expect(window.location.hash).toBe('#/reports/script/sources?start=2026-11-19&end=2026-11-19')
  })

  it('has a value where its condition has one, and refuses wrong ones in words', async () => {
    const { desk } = deskWithFindings([], [])
    show(desk, '#/overview')
    await press('New alert')
    choose(await field('Figures'), 'Direct')
    expect((await field('Measure')).textContent).toContain('Suspect rate')
    choose(await field('Condition'), 'Is above')
    await save()
    expect((await form()).getByText('Enter a rate from 0 to 100.')).toBeTruthy()
    expect(document.activeElement).toBe(await field('Value'))
    type(await field('Value'), '120')
    await save()
    expect((await form()).getByText('Enter a rate from 0 to 100.')).toBeTruthy()
    choose(await field('Condition'), 'Rose by')
    choose(await field('Compared with'), 'The 7 days before')
    type(await field('Value'), '20')
    type(await field('Minimum volume'), '5oo')
    await save()
    expect((await form()).getByText('Enter a whole number.')).toBeTruthy()
    type(await field('Minimum volume'), '1500')
    const saturday = await field('Sat')
    await fireEvent.click(saturday)
    choose(await field('Notify me'), 'In the morning summary')
    await save()
    await isClosed()
    expect(desk.argumentsOf('alerts/add')[0]?.entry).toEqual({
      ...{ view: '#/overview', family: 'direct', row: null, measure: 'bad-rate' },
      ...{ condition: { kind: 'rose', percent: 20, days: 7 }, leastRequests: 1500, leastChange: 0 },
      ...{ weekdays: [1, 2, 3, 4, 5, 7], telling: 'morning' },
    })
  })

  it('watches a single row, or every row after all', async () => {
    const { desk } = deskWithFindings([], [alert(1, { row: 'text news' })])
    show(desk, '#/findings/alerts')
    await press('Edit alert: Bad rate unusual, Script by source')
    choose(await field('Rows'), 'Every source')
    choose(await field('Measure'), 'Requests')
    choose(await field('Condition'), 'Stopped')
    choose(await field('Measure'), 'Bad rate')
    expect(await field('Condition')).toHaveProperty('value', 'unusual')
    await save()
    await isClosed()
    expect(desk.argumentsOf('alerts/change')[0]).toMatchObject({ id: alert(1).id, entry: { row: null } })
  })

  it('watches the rule mix of a report that has rule sets, and nothing of it but what is unusual', async () => {
    const { desk } = deskWithFindings([], [])
    desk.answer('alerts/preview', () =>
      good({
        ...{ ...preview, bandRule: 'UE' },
        tellings: preview.tellings.map((telling) => ({ ...telling, rule: 'UE' })),
      }),
    )
    show(desk, '#/reports/script/browsers')
    await press('New alert')
    choose(await field('Condition'), 'Is above')
    choose(await field('Measure'), 'Rule mix')
    const condition = await field('Condition')
    expect(
      within(condition)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual(['Is unusual'])
    await (await form()).findByText('UE', { selector: 'li bdi' })
    await save()
    await isClosed()
    expect(desk.argumentsOf('alerts/add')[0]?.entry).toMatchObject({
      ...{ measure: 'rule-mix', condition: { kind: 'unusual' } },
    })
  })

  it('offers no rule mix of sources, which have no rule sets', async () => {
    const { desk } = deskWithFindings([], [])
    show(desk, '#/reports/script/sources')
    await press('New alert')
    const measures = within(await field('Measure')).getAllByRole('option')
    expect(measures.map(({ textContent }) => textContent)).toEqual(['Bad rate', 'Requests'])
  })

  it('says that too few days are saved, and that an alert cannot be added', async () => {
    const { desk } = deskWithFindings([], [])
    desk
      .answer('alerts/preview', () =>
        good({ ...preview, mornings: 0, storedDays: 12, told: 0, tellings: [], band: [] }),
      )
      .answer('alerts/add', () => failed('invalid', { message: 'There are 2,000 alerts already.' }))
    show(desk, '#/reports/script/sources')
    await press('New alert')
    await (await form()).findByText('Not judged yet. Needs 28 days; 12 are saved.', { selector: '.said' })
    await save()
    await (await form()).findByText('There are 2,000 alerts already.')
  })

  it.each([
    ['Bad rate', 'Too little traffic to judge.'],
    ['Rule mix', 'No broken rule sets are saved.'],
  ])('says why enough days of a %s are not judged', async (measure, words) => {
    const { desk } = deskWithFindings([], [])
    const nothing = { mornings: 0, storedDays: 90, told: 0, tellings: [], band: [], bandRule: null }
    desk.answer('alerts/preview', () => good({ ...preview, ...nothing }))
    show(desk, '#/reports/script/browsers')
    await press('New alert')
    choose(await field('Measure'), measure)
    await (await form()).findByText(words, { selector: '.said' })
  })

  it('cancels a preview that nobody waits for any more', async () => {
    const { desk } = deskWithFindings([], [])
    desk.answer('alerts/preview', () => new Promise(() => undefined))
    show(desk, '#/reports/script/sources')
    await press('New alert')
    await waitFor(() => expect(desk.argumentsOf('alerts/preview')).toHaveLength(1))
    choose(await field('Measure'), 'Requests')
    await waitFor(() => expect(desk.argumentsOf('alerts/preview')).toHaveLength(2))
    const cancelled = () => desk.argumentsOf('reports/cancel').map(({ key }) => key)
    const keys = desk.argumentsOf('alerts/preview').map(({ key }) => key)
    expect(cancelled()).toEqual(keys.slice(0, 1))
    await fireEvent.click((await form()).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(cancelled()).toEqual(keys))
  })

  it('opens from the palette', async () => {
    const { desk } = deskWithFindings([], [])
    show(desk, '#/overview')
    await screen.findByRole('heading', { level: 1, name: 'Overview' })
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    const search = within(await screen.findByRole('dialog', { name: 'Command palette' })).getByRole(
      'combobox',
    )
    type(search, 'new alert')
    await screen.findByRole('option', { name: /New alert/ })
    await fireEvent.keyDown(search, { key: 'Enter' })
    await form()
  })
})
