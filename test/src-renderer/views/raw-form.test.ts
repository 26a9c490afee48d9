import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import {
  operatorsWithoutValue,
  rawFilterRule,
  rawStandardColumns,
  rawTypes,
} from '../../../src-shared/service/raw-columns.ts'
import type { RawRequest } from '../../../src-shared/raw/asking.ts'
import { checkDraft } from '../../../src-shared/raw/check-draft.ts'
import { columnWords } from '../../../src-shared/raw/columns.ts'
import { addDays, dayAt } from '../../../src-shared/values/day.ts'
import { brokenRules, rightDraft } from '../../helpers/raw-rules.ts'
import type { RawReportId } from '../../../src-shared/values/ids.ts'
import { FakeDesk, account, bad, good } from '../helpers/fake-desk.ts'
import { draft, listOf, listed, recordOf, request, schedule, template } from '../helpers/raw-reports.ts'
import { choose, pick, show, type } from '../helpers/show.ts'

const today = dayAt(Date.now(), 'UTC')
const report = (id: string) => good({ as: 'report' as const, report: id as RawReportId })
const desk = () => new FakeDesk().answer('raw/request', () => report('r-9'))
const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
const group = (name: string) => within(screen.getByRole('group', { name }))
const column = (name: string) => group('Standard columns').getByRole<HTMLInputElement>('checkbox', { name })
const send = () => fireEvent.click(screen.getByRole('button', { name: 'Request report' }))
const asked = (of: FakeDesk) => of.argumentsOf('raw/request').at(-1)
const faultOf = (control: HTMLElement) =>
  (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id))
    .filter((each) => each?.classList.contains('fault'))
    .map((each) => each?.textContent)
    .join('')

const partNames = { column: 'Column', operator: 'Operator', value: 'Value' } as const
const fieldNames = {
  ...{ instance: 'Instance', start: 'Start', end: 'End', name: 'Name' },
  ...{ standard: 'Standard columns', additional: 'Additional columns', filters: 'Filters' },
} as const

async function open(of: FakeDesk, form = 'new') {
  show(of, `#/raw?form=${encodeURIComponent(form)}`)
  await screen.findByRole('button', { name: 'Request report' }, { timeout: 10_000 })
}

describe('the form of a new raw report', () => {
  it('opens from the list under its names, and goes back to it', async () => {
    show(desk(), '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'New raw report' }))
    await screen.findByRole('button', { name: 'Request report' }, { timeout: 10_000 })
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

  it('says beside each field what is wrong with it, and goes to the first', async () => {
    const of = desk()
    await open(of)
    expect(screen.getByRole('combobox', { name: 'Instance' }).getAttribute('aria-invalid')).toBeNull()
    type(field('Start'), addDays(today, -91))
    await waitFor(() => expect(faultOf(field('Start'))).toBe('Start is more than 90 days ago.'))
    type(field('End'), addDays(today, 1))
    await waitFor(() => expect(faultOf(field('End'))).toBe('End is later than today.'))
    await fireEvent.click(group('Standard columns').getByRole('button', { name: 'None' }))
    expect(faultOf(screen.getByRole('group', { name: 'Standard columns' }))).toBe(
      'Choose at least one standard column.',
    )
    await send()
    const instance = () => screen.getByRole('combobox', { name: 'Instance' })
    await waitFor(() => expect(faultOf(instance())).toBe('Choose an instance.'))
    expect(document.activeElement).toBe(instance())
    expect(of.argumentsOf('raw/request')).toEqual([])
  })

  it('says what the service does not take, beside the field that it names', async () => {
    const of = new FakeDesk()
      .answer('raw/queue', () =>
        good({ requests: [request(1, { as: 'waiting', for: 'turn' })], limits: null }),
      )
      .answer('raw/request', () =>
        good({
          as: 'refused',
          failure: { kind: 'bad-request', message: 'Not taken.', said: 'No such thing' },
          fields: { name: 'A name like this exists', standard: 'Too many' },
        }),
      )
    await open(of, `request:${request(1, { as: 'sending' }).id}`)
    await send()
    await waitFor(() => expect(faultOf(field('Name'))).toBe('A name like this exists'))
    expect(faultOf(screen.getByRole('group', { name: 'Standard columns' }))).toBe('Too many')
    expect(screen.getByRole('alert').textContent).toContain('The service said: No such thing')
    expect(of.argumentsOf('raw/drop-request')).toEqual([])
    type(field('Name'), 'Another')
    await waitFor(() => expect(faultOf(field('Name'))).toBe(''))
  })

  it.each(brokenRules(today))('says beside the field that $rule, and sends nothing', async (broken) => {
    const { changes, field: wrong, part } = broken
    const waits: RawRequest = {
      ...request(1, { as: 'waiting', for: 'turn' }),
      draft: { ...rightDraft(today), ...changes },
    }
    const of = desk().answer('raw/queue', () => good({ requests: [waits], limits: null }))
    await open(of, `request:${waits.id}`)
    await send()
    const cannot = ['the result of a request has no operator', 'empty has no value', 'not empty has no value']
    if (cannot.includes(broken.rule)) return await waitFor(() => expect(asked(of)).toBeTruthy())
    const control = () => {
      if (part) {
        const filter = `Filter ${waits.draft.filters.length}`
        return within(screen.getByRole('group', { name: filter })).getByLabelText(partNames[part])
      }
      const name = fieldNames[wrong]
      return wrong === 'standard' || wrong === 'additional'
        ? screen.getByRole('group', { name })
        : field(name)
    }
    const checked = checkDraft(waits.draft, { today, additional: 10 })
    await waitFor(() => expect(faultOf(control())).toBe(checked.ok ? '' : checked.troubles[0]?.words))
    expect(control().contains(document.activeElement)).toBe(true)
    expect(of.argumentsOf('raw/request')).toEqual([])
  })

  it('begins with what the service did not take of the request that is changed', async () => {
    const failure = { kind: 'bad-request', message: 'Not taken.', said: 'No such thing' } as const
    const refused = request(1, { as: 'refused', failure, fields: { name: 'A name like this exists' } })
    await open(
      desk().answer('raw/queue', () => good({ requests: [refused], limits: null })),
      `request:${refused.id}`,
    )
    expect(faultOf(field('Name'))).toBe('A name like this exists')
    expect(screen.getByRole('alert').textContent).toContain('The service said: No such thing')
    await fireEvent.blur(field('Name'))
    expect(faultOf(field('Name'))).toBe('A name like this exists')
    type(field('Name'), 'Another')
    await waitFor(() => expect(faultOf(field('Name'))).toBe(''))
  })

  it('says a refusal of the desk beside the field that it names', async () => {
    const record = recordOf(listed('r-1'))
    const of = new FakeDesk()
      .answer('raw/report', () => good(record))
      .answer('raw/request', () => bad({ kind: 'invalid', message: 'Start is too early.', field: 'start' }))
    await open(of, 'report:r-1')
    await send()
    await waitFor(() => expect(faultOf(field('Start'))).toBe('Start is too early.'))
  })

  it.each(rawTypes)('of %s offers each column with its own operators and values', async (raw) => {
    await open(desk())
    choose(field('Type'), raw.charAt(0).toUpperCase() + raw.slice(1))
    await waitFor(() =>
      expect(group('Standard columns').getAllByRole('checkbox')).toHaveLength(rawStandardColumns[raw].length),
    )
    await fireEvent.click(group('Additional columns').getByRole('checkbox', { name: 'Additional 7' }))
    await fireEvent.click(group('Filters').getByRole('button', { name: 'Add filter' }))
    const filter = within(await screen.findByRole('group', { name: 'Filter 1' }))
    const columns = filter.getByRole('combobox', { name: 'Column' })
    for (const each of new Set([...rawStandardColumns[raw], 'result', '7'])) {
      const rule = rawFilterRule(raw, each)
      if (!rule) continue
      choose(columns, columnWords(each))
      await waitFor(() => {
        const operators = filter.queryByRole('combobox', { name: 'Operator' })
        const offered = operators ? within(operators).getAllByRole<HTMLOptionElement>('option') : []
        expect(offered.map(({ value }) => value)).toEqual(rule.operators)
        const first = rule.operators[0]
        const value = filter.queryByLabelText('Value')
        if (first && operatorsWithoutValue.includes(first)) expect(value).toBeNull()
        else if (rule.values && value) {
          expect(
            within(value)
              .getAllByRole<HTMLOptionElement>('option')
              .map((one) => one.value),
          ).toEqual(rule.values)
        } else expect(value?.tagName).toBe('INPUT')
      })
    }
    choose(columns, 'Additional 7')
    await waitFor(() => expect(filter.getByRole('combobox', { name: 'Operator' })).toBeTruthy())
    choose(filter.getByRole('combobox', { name: 'Operator' }), 'is empty')
    await waitFor(() => expect(filter.queryByLabelText('Value')).toBeNull())
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

  it('still holds what was filled in when one comes back to it, until one starts over', async () => {
    const of = desk()
    await open(of)
    type(field('Name'), 'Half a name')
    await fireEvent.click(screen.getByRole('link', { name: 'Downloads' }))
    await screen.findByRole('heading', { name: 'Downloads' })
    window.history.back()
    await screen.findByText('This is what you filled in before.', {}, { timeout: 10_000 })
    expect(field('Name').value).toBe('Half a name')
    await fireEvent.click(screen.getByRole('button', { name: 'Start over' }))
    await waitFor(() => expect(field('Name').value).toBe(''))
    expect(screen.queryByText('This is what you filled in before.')).toBeNull()
  })

  it('takes the place of the request that it began with', async () => {
    const waits = request(1, { as: 'waiting', for: 'turn' }, { name: 'Changed' })
    const of = desk().answer('raw/queue', () => good({ requests: [waits], limits: null }))
    await open(of, `request:${waits.id}`)
    await send()
    await waitFor(() => expect(asked(of)).toMatchObject({ replaces: waits.id }))
    expect(of.argumentsOf('raw/drop-request')).toEqual([])
  })

  it('says so where what it was to begin with is gone', async () => {
    show(desk(), '#/raw?form=template:5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a01')
    expect((await screen.findByRole('alert', {}, { timeout: 10_000 })).textContent).toContain(
      'This template is not there any more.',
    )
  })
})

describe('templates', () => {
  const weekly = template(300)

  it('fill the form, over days of now', async () => {
    const of = desk().answer('raw/templates', () => good([weekly]))
    await open(of, `template:${weekly.id}`)
    expect(field('Name').value).toBe('Bad traffic')
    expect(new Date(field('Start').value).getUTCDay()).toBe(1)
    await send()
    await waitFor(() => expect(asked(of)?.template).toBe(weekly.id))
  })

  it('are made of what stands in the form', async () => {
    const of = desk().answer('raw/queue', () =>
      good({ requests: [request(1, { as: 'waiting', for: 'turn' })], limits: null }),
    )
    of.answer('raw/save-template', () => good(weekly))
    await open(of, `request:${request(1, { as: 'sending' }).id}`)
    await fireEvent.click(screen.getByRole('button', { name: 'Save as template' }))
    const dialog = within(await screen.findByRole('dialog', {}, { timeout: 10_000 }))
    type(dialog.getByRole('textbox', { name: 'Name of the template' }), 'Weekly')
    choose(dialog.getByRole('combobox', { name: 'Days' }), 'Last week')
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
    const { type: asked, instance, name, standard, additional, filters, email } = draft()
    const kept = { type: asked, instance, name, standard, additional, filters, email }
    await waitFor(() =>
      expect(of.argumentsOf('raw/save-template')).toEqual([
        {
          account: account.id,
          template: null,
          entry: { name: 'Weekly', draft: kept, period: 'last-week', save: true },
        },
      ]),
    )
  })

  it('get another name, unless there is something wrong with it', async () => {
    let kept = weekly
    const of = new FakeDesk()
      .answer('raw/list', () => good(listOf([listed('r-1')])))
      .answer('raw/templates', () => good([kept]))
      .answer('raw/save-template', ({ entry, template: which }) => {
        if (entry.name === 'Taken') return bad({ kind: 'invalid', message: 'There is one.', field: 'name' })
        kept = { ...kept, ...entry, id: which ?? kept.id }
        return good(kept)
      })
    show(of, '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'Templates' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Templates' }, { timeout: 10_000 }))
    await fireEvent.click(await dialog.findByRole('button', { name: `Rename ${weekly.name}` }))
    const name = dialog.getByRole<HTMLInputElement>('textbox', { name: 'New name' })
    expect(name.value).toBe(weekly.name)
    type(name, 'Taken')
    await fireEvent.click(dialog.getByRole('button', { name: 'Save name' }))
    await waitFor(() => expect(faultOf(name)).toBe('There is one.'))
    type(name, ' Weekly, client Y ')
    await fireEvent.click(dialog.getByRole('button', { name: 'Save name' }))
    const renamed = await dialog.findByRole('button', { name: 'Rename Weekly, client Y' })
    expect(document.activeElement).toBe(renamed)
    const { id, ...entry } = weekly
    expect(of.argumentsOf('raw/save-template').at(-1)).toEqual({
      account: account.id,
      template: id,
      entry: { ...entry, name: 'Weekly, client Y' },
    })
  })

  it('come back with their schedules where removing them is undone', async () => {
    const removed = schedule(400, weekly, { paused: true })
    const of = new FakeDesk()
      .answer('raw/list', () => good(listOf([listed('r-1')])))
      .answer('raw/templates', () => good([weekly]))
      .answer('raw/schedules', () => good([removed]))
      .answer('raw/save-template', () => good(template(301)))
      .answer('raw/save-schedule', () => good(removed))
    show(of, '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'Templates' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Templates' }, { timeout: 10_000 }))
    await fireEvent.click(await dialog.findByRole('button', { name: `Remove ${weekly.name}` }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    const { id, ...entry } = weekly
    await waitFor(() =>
      expect(of.argumentsOf('raw/save-schedule')).toEqual([
        {
          account: account.id,
          schedule: null,
          entry: { template: template(301).id, when: removed.when, paused: true },
        },
      ]),
    )
    expect(of.argumentsOf('raw/remove-template')).toEqual([{ account: account.id, template: id }])
    expect(of.argumentsOf('raw/save-template')).toEqual([{ account: account.id, template: null, entry }])
  })

  it('are scheduled, paused and removed in their dialog', async () => {
    let schedules: { id: string }[] = []
    const of = new FakeDesk()
      .answer('raw/list', () => good(listOf([listed('r-1')])))
      .answer('raw/templates', () => good([weekly]))
      .answer('raw/schedules', () => good(schedules as never))
      .answer('raw/save-schedule', ({ entry }) => {
        const kept = {
          ...entry,
          id: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9400',
          lastTurn: null,
          nextTurn: null,
        }
        schedules = [kept]
        return good(kept as never)
      })
    show(of, '#/raw')
    await fireEvent.click(await screen.findByRole('button', { name: 'Templates' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Templates' }, { timeout: 10_000 }))
    await fireEvent.click(await dialog.findByRole('button', { name: `Schedule ${weekly.name}` }))
    choose(dialog.getByRole('combobox', { name: 'Time' }), '07:00')
    await fireEvent.click(dialog.getByRole('button', { name: 'Add schedule' }))
    await fireEvent.click(await dialog.findByRole('button', { name: 'Pause: Every Monday at 07:00' }))
    expect(of.argumentsOf('raw/save-schedule')).toMatchObject([
      {
        schedule: null,
        entry: { template: weekly.id, when: { every: 'week', weekday: 1, hour: 7 }, paused: false },
      },
      { schedule: '5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9400', entry: { paused: true } },
    ])
    await fireEvent.click(dialog.getByRole('button', { name: `Remove ${weekly.name}` }))
    await waitFor(() => expect(of.argumentsOf('raw/remove-template')[0]?.template).toBe(weekly.id))
    await fireEvent.click(dialog.getByRole('button', { name: `Use ${weekly.name}` }))
    await waitFor(() => expect(window.location.hash).toBe(`#/raw?form=template%3A${weekly.id}`))
  })
})
