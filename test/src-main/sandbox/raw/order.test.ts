import { describe, expect, it } from 'vitest'
import { checkFilters } from '#main/sandbox/raw/order.ts'

/** The specification's words, written out here anew and not taken from the code. */
const columns = {
  request: `source, campaign, exid, remote_address, network, connection, country, region, city, user_agent, browser_name,
    browser_version, os_name, os_version, device_type, device_manufacturer, device_model, location`,
  response: `source, campaign, response_id, result, rule_sets, invalid_traffic_type, remote_address, network, connection,
    country, region, city, language, user_agent, browser_name, browser_version, os_name, os_version, device_type,
    device_manufacturer, device_model, page, referrer`,
  direct: `source, campaign, result, rule_sets, invalid_traffic_type, remote_address, network, connection, country, region,
    city, user_agent, device_type, browser_name, browser_version, os_name, os_version, device_manufacturer,
    device_model, app_id, device_id, requesting_remote_address, requesting_user_agent`,
}
const types = ['request', 'response', 'direct'] as const
const listOf = (type: (typeof types)[number]) => columns[type].split(',').map((each) => each.trim())

const four = ['equals', 'not_equals', 'contains', 'not_contains']
const six = [...four, 'empty', 'not_empty']
const everyOperator = [...six, 'is', 'EQUALS', '']

function operatorsOf(type: string, column: string): readonly string[] {
  if (/^\d+$/.test(column)) return six
  if (type === 'request' && column === 'exid') return six
  if (type === 'direct' && (column === 'app_id' || column === 'device_id')) return six
  if (type !== 'request' && column === 'result') return ['equals', 'not_equals']
  return four
}

const valueOf: Readonly<Record<string, string>> = { response: 'warning', direct: 'suspect' }

const everyColumn = [...new Set(types.flatMap(listOf)), '1', '10', 'nonsense', '__proto__', 'constructor']

describe.each(types)('filters of %s reports', (type) => {
  const selected = { type, standard: listOf(type), additional: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }

  it.each(everyColumn)('%s takes exactly its operators', (column) => {
    const known = listOf(type).includes(column) || /^\d+$/.test(column)
    const value = column === 'result' ? (valueOf[type] ?? 'drops') : 'some value'
    for (const operator of everyOperator) {
      const taken = typeof checkFilters([{ column, operator, value }], selected) !== 'string'
      const outcomeOfRequests = type === 'request' && column === 'result' && operator === ''
      const expected = outcomeOfRequests || (known && operatorsOf(type, column).includes(operator))
      expect(taken, `${type} ${column} ${operator}`).toBe(expected)
    }
  })

  it.each(listOf(type))('%s has to be selected', (column) => {
    const [operator] = operatorsOf(type, column)
    const value = column === 'result' ? (valueOf[type] ?? '') : 'x'
    const without = { ...selected, standard: selected.standard.filter((each) => each !== column) }
    const filter = { column, operator: operator ?? '', value }
    expect(checkFilters([filter], selected)).toEqual([filter])
    expect(checkFilters([filter], without)).toContain('not selected')
  })
})

describe('filters', () => {
  const selected = { type: 'response' as const, standard: ['source', 'result'], additional: [3] }

  it('take a column once', () => {
    const filters = [
      { column: 'source', operator: 'contains', value: 'a' },
      { column: 'source', operator: 'not_contains', value: 'b' },
    ]
    expect(checkFilters(filters, selected)).toContain('more than once')
  })

  it('need a value, unless the operator applies none: then it is dropped', () => {
    expect(checkFilters([{ column: 'source', operator: 'equals' }], selected)).toContain('no value')
    expect(checkFilters([{ column: 'source', operator: 'equals', value: '' }], selected)).toContain(
      'no value',
    )
    const empty = { column: '3', operator: 'empty' }
    expect(checkFilters([{ ...empty, value: 'ignored' }], selected)).toEqual([empty])
  })

  it('take additional columns only where selected', () => {
    expect(checkFilters([{ column: '4', operator: 'empty' }], selected)).toContain('not selected')
    expect(checkFilters([{ column: '11', operator: 'empty' }], selected)).toContain('not selected')
  })

  it.each([
    ['response', ['good', 'warning', 'bad'], ['suspect', 'Good', '']],
    ['direct', ['non-suspect', 'suspect'], ['good', 'nonsuspect', '']],
  ] as const)('of the result of %s take its values', (type, right, wrong) => {
    const check = (value: string) =>
      checkFilters([{ column: 'result', operator: 'equals', value }], { ...selected, type })
    for (const value of right) expect(check(value)).toHaveLength(1)
    for (const value of wrong) expect(check(value)).toContain('takes the values')
  })

  it('of the outcome of requests need no selected column and no operator, but one of two values', () => {
    const request = { type: 'request' as const, standard: ['source'], additional: [] }
    for (const value of ['with-responses', 'drops']) {
      expect(checkFilters([{ column: 'result', value }], request)).toEqual([{ column: 'result', value }])
    }
    expect(checkFilters([{ column: 'result', value: 'good' }], request)).toContain('takes the values')
    expect(checkFilters([{ column: 'result' }], request)).toContain('takes the values')
    expect(checkFilters([{ column: 'result', operator: 'equals', value: 'drops' }], request)).toContain(
      'no operator',
    )
  })
})
