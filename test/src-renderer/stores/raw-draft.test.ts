import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RawDraftForm, newDraft } from '#renderer/stores/raw-draft.svelte.ts'
import { checkDraft } from '#shared/raw/draft.ts'
import { operatorNames, rawFilterRule, rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { RawLastColumns } from '#shared/raw/requests.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { brokenRules, rightDraft } from '#test/helpers/raw-rules.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const today = day('2026-11-20')
const rules = { today, additional: 10 }
const instance = '7' as InstanceId

const formOf = (last: RawLastColumns = {}, chosen: InstanceId | null = instance) =>
  new RawDraftForm(
    () => ({ draft: newDraft(today, last, chosen), last }),
    () => rules,
  )

describe('the form of a raw report', () => {
  it('begins with the last seven days and every column, and asks for an instance alone', () => {
    const form = formOf({}, null)
    expect([form.draft.start, form.draft.end]).toEqual(['2026-11-13', '2026-11-19'])
    expect(form.draft.standard).toEqual(rawStandardColumns.response)
    expect(form.draft.email).toBe(false)
    expect(form.troubles.map(({ field }) => field)).toEqual(['instance'])
  })

  it('begins with the columns that were asked for last, of each type', () => {
    const form = formOf({
      response: [
        { standard: ['country', 'result', 'gone'], additional: [3], name: '' },
        { standard: ['page'], additional: [], name: '' },
      ],
      direct: [{ standard: ['app_id'], additional: [], name: '' }],
    })
    expect(form.draft).toMatchObject({ standard: ['result', 'country'], additional: [3] })
    form.chooseType('direct')
    expect(form.draft).toMatchObject({ standard: ['app_id'], additional: [] })
    form.chooseType('request')
    expect(form.draft.standard).toEqual(rawStandardColumns.request)
  })

  it('says nothing of an instance that nobody chose yet, until somebody wants to send it', () => {
    const form = formOf({}, null)
    expect(form.wordsFor('instance')).toBeUndefined()
    form.change({ instance: null })
    expect(form.wordsFor('instance')).toBe('Choose an instance.')
    const other = formOf({}, null)
    expect(other.tryToSend()?.field).toBe('instance')
    expect(other.wordsFor('instance')).toBe('Choose an instance.')
  })

  it('lacks no instance where all of them are chosen, until one is', () => {
    const form = formOf({}, null)
    form.chooseInstance(null)
    expect([form.every, form.tryToSend(), form.draft.instance]).toEqual([true, undefined, null])
    form.chooseInstance('7' as InstanceId)
    expect([form.every, form.draft.instance]).toEqual([false, '7'])
    form.chooseInstance(null)
    form.begin(form.draft)
    expect([form.every, form.tryToSend()?.field]).toEqual([false, 'instance'])
  })

  it('holds a day that is being typed, and says which one is missing', () => {
    const form = formOf()
    form.type('start', '')
    expect(form.wordsFor('start')).toBe('Choose the first day.')
    expect(form.range).toBeNull()
    expect(form.troubles).toHaveLength(1)
    form.type('start', '2026-08-21')
    expect(form.wordsFor('start')).toBe('Start is more than 90 days ago.')
    form.type('start', '2026-11-20')
    expect(form.wordsFor('start')).toBeUndefined()
    expect(form.wordsFor('end')).toBe('End is before start.')
    form.type('end', '2026-11-21')
    expect(form.wordsFor('end')).toBe('End is later than today.')
  })

  it('says what has become wrong when a new day begins while it is open', () => {
    let now = today
    const draft = { ...newDraft(today, {}, instance), start: addDays(today, -90), end: addDays(today, 1) }
    const form = new RawDraftForm(
      () => ({ draft, last: {} }),
      () => ({ today: now, additional: 10 }),
    )
    expect([form.wordsFor('start'), form.wordsFor('end')]).toEqual([undefined, 'End is later than today.'])
    now = addDays(today, 1)
    expect([form.wordsFor('start'), form.wordsFor('end')]).toEqual([
      'Start is more than 90 days ago.',
      undefined,
    ])
  })

  it('of another type keeps the columns that were chosen by hand, and drops filters that it cannot have', () => {
    const form = formOf()
    form.chooseStandard(rawStandardColumns.response, false)
    form.chooseStandard(['source', 'result', 'page'], true)
    const filter = form.addFilter()
    form.changeFilter(filter, { column: 'page', operator: 'contains', value: 'x' })
    expect(form.chooseType('direct')).toEqual(['Page'])
    expect(form.draft).toMatchObject({ type: 'direct', standard: ['source', 'result'], filters: [] })
  })

  it('turns the filter of results into one that the type takes', () => {
    const form = formOf()
    const filter = form.addFilter()
    form.changeFilter(filter, { column: 'result', value: 'bad' })
    expect(form.draft.filters).toEqual([{ column: 'result', operator: 'equals', value: 'bad' }])
    form.chooseType('direct')
    expect(form.draft.filters).toEqual([{ column: 'result', operator: 'equals', value: 'non-suspect' }])
    form.chooseType('request')
    expect(form.draft.filters).toEqual([{ column: 'result', operator: null, value: 'with-responses' }])
  })

  it('drops the value of an operator that takes none', () => {
    const form = formOf()
    form.chooseAdditional(3, true)
    const filter = form.addFilter()
    form.changeFilter(filter, { column: '3', value: 'x' })
    form.changeFilter(filter, { operator: 'not_empty' })
    expect(form.draft.filters).toEqual([{ column: '3', operator: 'not_empty', value: '' }])
  })

  it('says at once that a filter lost its column', () => {
    const form = formOf()
    form.chooseAdditional(3, true)
    const filter = form.addFilter()
    form.changeFilter(filter, { column: '3', operator: 'not_empty' })
    form.chooseAdditional(3, false)
    const [stored] = form.filters
    expect(stored && form.wordsForFilter(stored, 'column')).toBe('Additional 3 is not in the report.')
  })

  it('says with every key what is wrong with a filter, but not before anything was typed', () => {
    const form = formOf()
    const added = form.addFilter()
    const said = () => form.filters.map((each) => form.wordsForFilter(each, 'value'))
    expect(said()).toEqual([undefined])
    form.changeFilter(added, { value: 'x' })
    form.changeFilter(added, { value: '' })
    expect(said()).toEqual(['Enter a value.'])
    form.changeFilter(added, { value: 'x'.repeat(10_001) })
    expect(said()).toEqual(['A value can have up to 10000 characters.'])
    const left = form.addFilter()
    expect(said()[1]).toBeUndefined()
    form.touchFilter(left, 'value')
    expect(said()[1]).toBe('Enter a value.')
    form.chooseStandard(['source'], false)
    expect(form.filters.map((each) => form.wordsForFilter(each, 'column'))[0]).toBe(
      'Source is not in the report.',
    )
  })

  it('says at once what is wrong with what it begins with', () => {
    const form = formOf()
    const filters = [{ column: 'page', operator: null, value: '' }]
    form.begin({
      ...newDraft(today, {}, instance),
      start: addDays(today, -91),
      standard: ['source'],
      filters,
    })
    expect(form.wordsFor('start')).toBe('Start is more than 90 days ago.')
    const [filter] = form.filters
    expect(filter && form.wordsForFilter(filter, 'column')).toBe('Page is not in the report.')
  })

  it('shows what the service said beside the field, until the field is changed', () => {
    const form = formOf()
    form.refuse({ name: 'A name like this exists', send_email: 'Not here' })
    expect([form.wordsFor('name'), form.wordsFor('email')]).toEqual(['A name like this exists', 'Not here'])
    form.change({ name: 'Another' })
    expect([form.wordsFor('name'), form.wordsFor('email')]).toEqual([undefined, 'Not here'])
  })

  it('takes each column that can be filtered once, and then no more', () => {
    checkProperty(
      'filters one after another',
      fc.property(fc.constantFrom(...rawTypes), fc.integer({ min: 1, max: 8 }), (type, count) => {
        const form = formOf()
        form.chooseType(type)
        const filters = Array.from({ length: count }, () => form.addFilter())
        filters.forEach((filter) => {
          const { operator, value } = form.filters.find(({ key }) => key === filter.key) ?? filter
          if (operator !== null && value === '') form.changeFilter(filter, { value: 'x' })
        })
        expect(new Set(form.filters.map(({ column }) => column)).size).toBe(count)
        expect(checkDraft(form.draft, rules)).toMatchObject({ kind: 'order' })
      }),
    )
  })

  it('takes every operator of every column of every type', () => {
    let taken = 0
    for (const type of rawTypes) {
      for (const column of new Set([...rawStandardColumns[type], 'result', '10'])) {
        const operators = rawFilterRule(type, column)?.operators ?? []
        for (const operator of operators.length > 0 ? operators : [null]) {
          if (!rawFilterRule(type, column)) continue
          const form = formOf()
          form.chooseType(type)
          form.chooseAdditional(10, true)
          const filter = form.addFilter()
          form.changeFilter(filter, { column, operator })
          if (form.filters[0]?.value === '') form.changeFilter(filter, { value: 'x' })
          expect([type, column, operator, form.troubles]).toEqual([type, column, operator, []])
          expect(form.draft.filters[0]?.operator).toBe(operator)
          taken += 1
        }
      }
    }
    expect(taken).toBeGreaterThan(200)
  })

  it.each(brokenRules(today))('says beside its field that $rule, or cannot hold it otherwise', (broken) => {
    const { changes, field, part } = broken
    const form = formOf()
    form.begin({ ...rightDraft(today), ...changes })
    const cannot = ['the result of a request has no operator', 'empty has no value', 'not empty has no value']
    if (cannot.includes(broken.rule)) return expect(form.tryToSend()).toBeUndefined()
    const said = () =>
      part
        ? form.filters.map((filter) => form.wordsForFilter(filter, part)).find(Boolean)
        : form.wordsFor(field)
    // That nobody has chosen an instance yet is said when somebody wants to send it.
    expect(Boolean(said())).toBe(field !== 'instance')
    expect(form.tryToSend()).toMatchObject({ field, ...(part && { part }) })
    expect(said()).toBe(form.troubles[0]?.words)
    expect(form.troubles).toHaveLength(1)
  })

  it('says everything that is wrong with a draft beside its field, once somebody wants to send it', () => {
    const columns = [...rawStandardColumns.response, 'app_id', 'nonsense', '3', '40', '']
    const draft: fc.Arbitrary<RawDraft> = fc.record({
      type: fc.constantFrom(...rawTypes),
      instance: fc.constantFrom(instance, null),
      start: fc.integer({ min: -120, max: 5 }).map((days) => addDays(today, days)),
      end: fc.integer({ min: -120, max: 5 }).map((days) => addDays(today, days)),
      name: fc.constantFrom('', 'Weekly', 'x'.repeat(1001)),
      standard: fc.array(fc.constantFrom(...columns), { maxLength: 6 }),
      additional: fc.array(fc.constantFrom(0, 1, 3, 10, 11, 1.5), { maxLength: 4 }),
      filters: fc.array(
        fc.record({
          column: fc.constantFrom(...columns),
          operator: fc.constantFrom(...operatorNames, null),
          value: fc.constantFrom('', 'bad', 'x'),
        }),
        { maxLength: 4 },
      ),
      email: fc.boolean(),
    })
    checkProperty(
      'faults beside fields',
      fc.property(draft, (one) => {
        const form = formOf()
        form.begin(one)
        const checked = checkDraft(form.draft, rules)
        const first = form.tryToSend()
        expect(first === undefined).toBe(checked.kind === 'order')
        for (const trouble of checked.kind === 'order' ? [] : checked.troubles) {
          const filter = trouble.filter === undefined ? undefined : form.filters[trouble.filter]
          const said =
            filter && trouble.part ? form.wordsForFilter(filter, trouble.part) : form.wordsFor(trouble.field)
          expect(said).toBeTruthy()
        }
      }),
    )
  })
})
