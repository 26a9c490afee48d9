import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it } from 'vitest'
import {
  operatorsWithoutValue,
  rawFilterRule,
  rawStandardColumns,
  rawTypes,
} from '#shared/api/raw-columns.ts'
import type { RawRequest } from '#shared/raw/requests.ts'
import { checkDraft, columnWords } from '#shared/raw/draft.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { brokenRules, rightDraft } from '#test/helpers/raw-rules.ts'
import { FakeDesk, bad, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { listed, recordOf, request } from '#test/src-renderer/helpers/raw-reports.ts'
import { choose, type } from '#test/src-renderer/helpers/show.ts'
import { asked, desk, faultOf, field, group, open, send } from '#test/src-renderer/helpers/raw-form.ts'

const today = dayAt(Date.now(), 'UTC')

const partNames = { column: 'Column', operator: 'Operator', value: 'Value' } as const
const fieldNames = {
  ...{ instance: 'Instance', start: 'Start', end: 'End', name: 'Name' },
  ...{ standard: 'Standard columns', additional: 'Additional columns', filters: 'Filters' },
} as const

describe('what may be asked for', () => {
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
        good({ requests: [request(1, { kind: 'waiting', for: 'turn' })], limits: null }),
      )
      .answer('raw/request', () =>
        good({
          kind: 'refused',
          failure: { kind: 'bad-request', message: 'Not taken.', said: 'No such thing' },
          fields: { name: 'A name like this exists', standard: 'Too many' },
        }),
      )
    await open(of, `request:${request(1, { kind: 'sending' }).id}`)
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
      ...request(1, { kind: 'waiting', for: 'turn' }),
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
    await waitFor(() =>
      expect(faultOf(control())).toBe(checked.kind === 'order' ? '' : checked.troubles[0]?.words),
    )
    expect(control().contains(document.activeElement)).toBe(true)
    expect(of.argumentsOf('raw/request')).toEqual([])
  })

  it('begins with what the service did not take of the request that is changed', async () => {
    const failure = { kind: 'bad-request', message: 'Not taken.', said: 'No such thing' } as const
    const refused = request(1, { kind: 'refused', failure, fields: { name: 'A name like this exists' } })
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
})
