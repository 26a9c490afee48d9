import { describe, expect, it } from 'vitest'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import {
  checkDraft,
  argumentsOf,
  columnGroups,
  columnWords,
  draftsForEach,
  earliestStart,
} from '#shared/raw/draft.ts'
import type { RawDraft, RawDraftFilter } from '#shared/raw/draft.ts'
import { day, addDays } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { brokenRules, rightDraft } from '#test/helpers/raw-rules.ts'

describe('a draft for each of some instances', () => {
  const each = [
    { id: '101' as InstanceId, name: 'Meridian' },
    { id: '102' as InstanceId, name: 'Kestrel Bank' },
  ]

  it('is the same but for the instance, and is called after it', () => {
    const draft = { ...rightDraft(day('2026-11-20')), instance: null, name: ' Weekly ' }
    expect(draftsForEach(draft, each)).toEqual([
      { ...draft, instance: '101', name: 'Weekly, Meridian' },
      { ...draft, instance: '102', name: 'Weekly, Kestrel Bank' },
    ])
    expect(draftsForEach({ ...draft, name: '' }, each).map(({ name }) => name)).toEqual([
      'Meridian',
      'Kestrel Bank',
    ])
  })
})

describe('what raw/request is sent', () => {
  const today = day('2026-11-20')
  const draft: RawDraft = {
    ...{ type: 'request', instance: '101' as InstanceId, start: today, end: today, name: '', email: false },
    ...{ standard: ['exid', 'source'], additional: [], filters: [] },
  }

  function sent(changes: Partial<RawDraft>) {
    const checked = checkDraft({ ...draft, ...changes }, { today, additional: 10 })
    if (checked.kind === 'troubles') throw new Error(JSON.stringify(checked.troubles))
    return argumentsOf(checked.order)
  }

  it('is what is required alone, and that no email is wanted', () => {
    expect(sent({})).toEqual({
      ...{ type: 'request', instance: '101', start: today, end: today, standard: ['exid', 'source'] },
      send_email: false,
    })
  })

  it('is the rest where it is given; values and operators only where they mean something', () => {
    const filters: RawDraft['filters'] = [
      { column: 'result', operator: null, value: 'drops' },
      { column: 'exid', operator: 'empty', value: '' },
      { column: '2', operator: 'contains', value: 'a' },
    ]
    expect(sent({ name: ' Ours ', additional: [2, 1], email: true, filters })).toMatchObject({
      name: 'Ours',
      additional: [2, 1],
      send_email: true,
      filters: [
        { column: 'result', value: 'drops' },
        { column: 'exid', operator: 'empty' },
        { column: '2', operator: 'contains', value: 'a' },
      ],
    })
    const members = sent({ additional: [2], filters }).filters?.map((each) => Object.keys(each))
    expect(members).toEqual([
      ['column', 'value'],
      ['column', 'operator'],
      ['column', 'operator', 'value'],
    ])
  })
})

describe('columns', () => {
  it.each(rawTypes)('of %s stand in one group each, all of them, and have words of their own', (type) => {
    const grouped = columnGroups(type).flatMap(({ columns }) => columns)
    expect(grouped.toSorted()).toEqual(rawStandardColumns[type].toSorted())
    expect(new Set(grouped.map(columnWords)).size).toBe(grouped.length)
    expect(columnGroups(type).every(({ columns }) => columns.length > 0)).toBe(true)
  })

  it.each([
    ['remote_address', 'Remote address'],
    ['exid', 'External ID'],
    ['3', 'Additional 3'],
    ['constructor', 'Constructor'],
    ['', ''],
  ])('%s reads “%s”', (column, words) => {
    expect(columnWords(column)).toBe(words)
  })
})

describe('check draft', () => {
  const today = day('2026-11-20')
  const rules = { today, additional: 10 }

  const draft: RawDraft = {
    type: 'response',
    instance: '101' as InstanceId,
    start: addDays(today, -6),
    end: today,
    name: '',
    standard: ['source', 'result'],
    additional: [3],
    filters: [],
    email: false,
  }

  /** What is wrong, as `field` or `field place part`. */
  function wrongWith(changes: Partial<RawDraft>, additional = 10): string[] {
    const checked = checkDraft({ ...draft, ...changes }, { ...rules, additional })
    if (checked.kind === 'order') return []
    return checked.troubles.map(({ field, filter, part }) =>
      [field, filter, part].filter((each) => each !== undefined).join(' '),
    )
  }

  const filter = (column: string, operator: RawDraftFilter['operator'], value: string): RawDraftFilter => ({
    column,
    operator,
    value,
  })

  describe('a draft', () => {
    it('in which nothing is wrong is an order, with its name trimmed', () => {
      const checked = checkDraft({ ...draft, name: '  Weekly ' }, rules)
      expect(checked).toEqual({ kind: 'order', order: { ...draft, name: 'Weekly' } })
    })

    it('has an instance', () => {
      expect(wrongWith({ instance: null })).toEqual(['instance'])
    })

    it('begins 90 days ago at the earliest, and ends today at the latest', () => {
      expect(earliestStart(today)).toBe('2026-08-22')
      expect(wrongWith({ start: addDays(today, -90) })).toEqual([])
      expect(wrongWith({ start: addDays(today, -91) })).toEqual(['start'])
      expect(wrongWith({ start: today, end: today })).toEqual([])
      expect(wrongWith({ end: addDays(today, 1) })).toEqual(['end'])
      expect(wrongWith({ start: today, end: addDays(today, -1) })).toEqual(['end'])
      expect(wrongWith({ start: addDays(today, 1), end: addDays(today, 1) })).toEqual(['end'])
    })

    it('has at least one standard column, each of its type and once', () => {
      expect(wrongWith({ standard: [] })).toEqual(['standard'])
      expect(wrongWith({ standard: ['exid'] })).toEqual(['standard'])
      expect(wrongWith({ type: 'request', standard: ['exid'] })).toEqual([])
      expect(wrongWith({ standard: ['page', 'page'] })).toEqual(['standard'])
      expect(wrongWith({ standard: ['constructor'] })).toEqual(['standard'])
    })

    it('has additional columns from 1 to 10, or up to the setting, each once', () => {
      expect(wrongWith({ additional: [1, 10] })).toEqual([])
      for (const additional of [[0], [11], [-1], [1.5], [2, 2]])
        expect(wrongWith({ additional })).toEqual(['additional'])
      expect(wrongWith({ additional: [11, 40] }, 40)).toEqual([])
      expect(wrongWith({ additional: [3] }, 2)).toEqual(['additional'])
    })

    it('tells everything that is wrong, in the form’s order', () => {
      const all = {
        instance: null,
        start: addDays(today, -99),
        end: addDays(today, 1),
        standard: [],
        additional: [0],
      }
      expect(wrongWith({ ...all, name: 'x'.repeat(1001), filters: [filter('', null, '')] })).toEqual([
        ...['instance', 'start', 'end', 'name', 'standard', 'additional', 'filters 0 column'],
      ])
    })
  })

  describe('a draft that breaks one rule', () => {
    it.each(brokenRules(today))('is told so alone: $rule', ({ changes, field, part }) => {
      const checked = checkDraft({ ...rightDraft(today), ...changes }, rules)
      expect(checked).toMatchObject({ kind: 'troubles', troubles: [{ field, ...(part && { part }) }] })
      expect(checked.kind === 'order' ? 0 : checked.troubles.length).toBe(1)
      expect(checkDraft(rightDraft(today), rules).kind).toBe('order')
    })
  })

  describe('its filters', () => {
    const wrongFilters = (...filters: RawDraftFilter[]) => wrongWith({ filters })

    it('are of selected columns, each once', () => {
      expect(wrongFilters(filter('source', 'contains', 'a'), filter('3', 'empty', ''))).toEqual([])
      expect(wrongFilters(filter('page', 'equals', 'a'))).toEqual(['filters 0 column'])
      expect(wrongFilters(filter('4', 'equals', 'a'))).toEqual(['filters 0 column'])
      expect(wrongFilters(filter('03', 'equals', 'a'))).toEqual(['filters 0 column'])
      expect(wrongFilters(filter('source', 'equals', 'a'), filter('source', 'contains', 'b'))).toEqual([
        'filters 1 column',
      ])
      expect(wrongFilters(filter('toString', 'equals', 'a'))).toEqual(['filters 0 column'])
    })

    it('have an operator of their column', () => {
      expect(wrongFilters(filter('source', null, 'a'))).toEqual(['filters 0 operator'])
      expect(wrongFilters(filter('source', 'empty', ''))).toEqual(['filters 0 operator'])
      expect(wrongFilters(filter('result', 'contains', 'bad'))).toEqual(['filters 0 operator'])
    })

    it('have a value, but none with operators that take none', () => {
      expect(wrongFilters(filter('source', 'equals', ''))).toEqual(['filters 0 value'])
      expect(wrongFilters(filter('source', 'equals', ' '))).toEqual([])
      expect(wrongFilters(filter('3', 'not_empty', 'a'))).toEqual(['filters 0 value'])
      expect(wrongFilters(filter('source', 'equals', 'x'.repeat(10_001)))).toEqual(['filters 0 value'])
    })

    it('have one of the fixed values of results', () => {
      expect(wrongFilters(filter('result', 'not_equals', 'warning'))).toEqual([])
      expect(wrongFilters(filter('result', 'equals', 'suspect'))).toEqual(['filters 0 value'])
      expect(wrongFilters(filter('result', 'equals', ''))).toEqual(['filters 0 value'])
      const direct = { type: 'direct', filters: [filter('result', 'equals', 'suspect')] } as const
      expect(wrongWith(direct)).toEqual([])
    })

    it('of the outcome of requests take no operator, and no column of that name', () => {
      const outcome = (operator: RawDraftFilter['operator'], value: string) =>
        wrongWith({ type: 'request', standard: ['source'], filters: [filter('result', operator, value)] })
      expect(outcome(null, 'drops')).toEqual([])
      expect(outcome(null, 'with-responses')).toEqual([])
      expect(outcome('equals', 'drops')).toEqual(['filters 0 operator'])
      expect(outcome(null, 'bad')).toEqual(['filters 0 value'])
      expect(outcome(null, '')).toEqual(['filters 0 value'])
    })
  })
})
