import { describe, expect, it } from 'vitest'
import {
  alertWords,
  conditionsOf,
  falseAlarmWords,
  findingWords,
  judgedWords,
  measureWords,
  noticeableWords,
  nothingJudgedWords,
  previewWords,
  rowsWords,
  stateInFull,
  subjectWords,
  sureWords,
  usualWords,
  viewWords,
} from '#shared/texts/alerts.ts'
import type { Formats } from '#shared/texts/formats.ts'
import { day } from '#shared/values/day.ts'
import { alert, finding } from '#test/src-renderer/helpers/watched.ts'

const formats = {
  count: (value) => value?.toLocaleString('en-US') ?? '–',
  share: (value) => (value === null ? '–' : `${(value * 100).toFixed(1)}%`),
  dayInFull: (value) => new Date(value).toUTCString().replace(/^(...), (..) (...).*/, '$1, $3 $2'),
} as Formats

const overview = { view: '#/overview?source=news', family: 'direct' } as const

describe('words of an alert', () => {
  it('name the measure by its family, and what is watched', () => {
    expect(measureWords({ measure: 'bad-rate', family: 'direct' })).toBe('Suspect rate')
    expect(viewWords(overview)).toBe('Direct total · news')
    expect(viewWords({ view: '#/reports/script/geography?country=Germany', family: 'script' })).toBe(
      'Script by country · Germany',
    )
    expect(rowsWords({ view: overview.view, row: null })).toBe('Total')
    expect(rowsWords({ view: '#/reports/script/sources', row: null })).toBe('Every source')
    expect(rowsWords({ view: '#/reports/script/sources', row: 'text text news' })).toBe('text news')
  })

  it('say the condition with its value', () => {
    const said = (changes: Parameters<typeof alert>[1]) => alertWords(alert(1, changes), formats)
    expect(said({ condition: { kind: 'above', value: 20 } })).toBe('Bad rate above 20.0%')
    expect(said({ measure: 'requests', condition: { kind: 'below', value: 1000 } })).toBe(
      'Requests below 1,000',
    )
    expect(said({ condition: { kind: 'fell', percent: 20, days: 7 } })).toBe(
      'Bad rate fell by 20% compared with the 7 days before',
    )
    expect(said({ measure: 'requests', condition: { kind: 'stopped' } })).toBe('Every source stopped')
    expect(conditionsOf('bad-rate')).not.toContain('stopped')
    expect(conditionsOf('rule-mix')).toEqual(['unusual'])
    expect(conditionsOf('requests')).toContain('stopped')
  })

  it('say why nothing is judged', () => {
    const state = { judgedUpTo: null, notJudged: 'too-few-days', storedDays: 1 } as const
    expect(judgedWords(state, formats)).toBe('Not judged yet. Needs 28 days; 1 is saved.')
    expect(judgedWords({ ...state, notJudged: 'no-figures' }, formats)).toContain('no figures')
    expect(judgedWords({ ...state, notJudged: null }, formats)).toBe('Not judged yet.')
    expect(nothingJudgedWords([], formats)).toBe('')
    expect(nothingJudgedWords([alert(1, state), alert(2)], formats)).toBe('')
    expect(nothingJudgedWords([alert(1, state)], formats)).toContain('Needs 28 days')
  })

  it('say how often it would have told, and what it notices', () => {
    expect([0, 1, 4].map((told) => previewWords(57, told))).toEqual([
      'In the last 57 days this would not have notified you.',
      'In the last 57 days this would have notified you once.',
      'In the last 57 days this would have notified you 4 times.',
    ])
    expect(noticeableWords(1.33)).toBe('A lasting rise of about a third is noticed within a week.')
    expect(noticeableWords(2)).toBe('A lasting rise to about twice the usual is noticed within a week.')
    expect(noticeableWords(null)).toMatch(/^Too small to judge/)
  })
})

describe('words of a finding', () => {
  it('name its row, several rows, all rows or the total', () => {
    const none = { row: null } as const
    expect(subjectWords(finding(1))).toBe('source-1')
    expect(subjectWords(finding(1, { row: { key: 'text ', text: '' } }))).toBe('(empty)')
    expect(subjectWords(finding(1, { ...none, rows: ['text a', 'text b'] }))).toBe('2 sources at once')
    expect(subjectWords(finding(1, { ...none, isShared: true }))).toBe('All sources together')
    expect(subjectWords(finding(1, { ...none, view: '#/overview' }))).toBe('Total')
  })

  it('say what changed, how sure that is and how far it is', () => {
    const state = (changes: Parameters<typeof finding>[1]) => stateInFull(finding(1, changes), formats)
    expect(findingWords(finding(1), formats)).toBe('Bad rate 12.4%, usually 5.1%')
    expect(findingWords(finding(1, { measure: 'rule-mix', rule: 'UE' }), formats)).toBe(
      'UE 12.4% of broken rule sets, usually 5.1%',
    )
    expect(findingWords(finding(1, { isStopped: true, measure: 'requests', usual: 1200 }), formats)).toBe(
      'Stopped. Usually 1,200 requests a day',
    )
    const against = (condition: 'above' | 'rose') => findingWords(finding(1, { condition }), formats)
    expect(against('above')).toBe('Bad rate 12.4%, above 5.1%')
    expect(against('rose')).toBe('Bad rate 12.4%, before 5.1%')
    expect([null, 3, 5, -8, 12].map((z) => sureWords({ z }))).toEqual([
      ...['', 'Adds up over several days', 'Clear', 'Very clear', 'Beyond doubt'],
    ])
    expect(state({ state: 'withdrawn', settled: 5.3 })).toBe('Withdrawn: 12.4% at first, 5.3% in the end.')
    expect(state({ state: 'withdrawn' })).toContain('did not confirm')
    expect(state({ state: 'over', to: day('2026-11-20') })).toMatch(/^Ended .*Nov 19/)
    expect(state({ state: 'usual' })).toBe('Lasted 28 days and is now usual.')
    expect(falseAlarmWords({ wrong: 0, judged: 0 })).toBe('')
  })

  it('say what is usual', () => {
    expect(usualWords({ measure: 'bad-rate' }, { usual: 5, low: 4, high: 6 }, formats)).toBe(
      '5.0% (4.0% to 6.0%)',
    )
  })
})
