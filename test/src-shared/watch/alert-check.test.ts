import { describe, expect, it } from 'vitest'
import { checkedAlert } from '#shared/watch/alert-check.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { AlertEntry } from '#shared/watch/alerts.ts'

const entry: AlertEntry = {
  ...{ view: '#/reports/script/sources', family: 'script', row: null, measure: 'bad-rate' },
  ...{ condition: { kind: 'unusual' }, leastRequests: 0, leastChange: 20, weekdays, telling: 'at-once' },
}

describe('an alert', () => {
  it('watches the figures of a view, whatever its days, sort and search', () => {
    const view = '#/reports/script/sources?period=last-7-days&search=shop&page=3'
    expect(checkedAlert({ ...entry, view })).toEqual({ kind: 'alert', entry })
    const overview = { ...entry, view: '#/overview', family: 'direct' } as const
    expect(checkedAlert(overview)).toEqual({ kind: 'alert', entry: overview })
  })

  it('has each weekday once, in order, and counts requests where it waits for a stop', () => {
    const checked = checkedAlert({ ...entry, weekdays: [7, 1, 7], condition: { kind: 'stopped' } })
    expect(checked).toMatchObject({ entry: { weekdays: [1, 7], measure: 'requests' } })
  })

  it('watches the rule sets of a table that has them', () => {
    const mix = { ...entry, view: '#/reports/script/sessions', measure: 'rule-mix' } as const
    expect(checkedAlert(mix)).toEqual({ kind: 'alert', entry: mix })
  })

  it.each([
    ['view', { view: '#/settings' }],
    ['view', { family: 'direct' }],
    ['row', { view: '#/overview', row: 'a' }],
    ['value', { condition: { kind: 'above', value: 100.5 } }],
    ['value', { condition: { kind: 'above', value: 100 } }],
    ['value', { condition: { kind: 'below', value: 100.5 } }],
    ['value', { condition: { kind: 'below', value: 0 } }],
    ['value', { condition: { kind: 'fell', percent: 101, days: 7 } }],
    ['weekdays', { weekdays: [] }],
    ['view', { measure: 'rule-mix' }],
    ['view', { measure: 'rule-mix', view: '#/overview' }],
    [
      'condition',
      { measure: 'rule-mix', view: '#/reports/script/networks', condition: { kind: 'above', value: 3 } },
    ],
  ] as const)('is refused about its %s as %j', (field, changes) => {
    expect(checkedAlert({ ...entry, ...changes })).toMatchObject({ kind: 'fault', field })
  })
})
