import { describe, expect, it } from 'vitest'
import { checkDraft } from '#shared/raw/draft.ts'
import type { RawDraft, RawDraftFilter } from '#shared/raw/draft.ts'
import { operatorNames, rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import type { RawOperator, RawType } from '#shared/api/raw-columns.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { asFilledIn, tirelessForAll } from '../src-main/raw/requests/tireless-sandbox.ts'

/** One day alone: the sandbox counts its rows in no time. */
const today = day('2026-11-20')
const rules = { today, additional: 10 }

/** The operator tables of the specification, written down once more by hand. */
const six = ['equals', 'not_equals', 'contains', 'not_contains', 'empty', 'not_empty']
const four = six.slice(0, 4)
const exceptions: Readonly<Record<RawType, Readonly<Record<string, readonly string[]>>>> = {
  request: { exid: six },
  response: { result: ['equals', 'not_equals'] },
  direct: { app_id: six, device_id: six, result: ['equals', 'not_equals'] },
}
const fixed: Readonly<Record<RawType, readonly string[]>> = {
  request: ['with-responses', 'drops'],
  response: ['good', 'warning', 'bad'],
  direct: ['non-suspect', 'suspect'],
}

/** Whether the specification takes a filter, read off its tables. */
function takes(type: RawType, selected: boolean, { column, operator, value }: RawDraftFilter): boolean {
  if (type === 'request' && column === 'result') return operator === null && fixed.request.includes(value)
  if (!selected) return false
  const isAdditional = /^(?:[1-9]|10)$/.test(column)
  if (!isAdditional && !rawStandardColumns[type].includes(column)) return false
  const operators = isAdditional ? six : (exceptions[type][column] ?? four)
  if (operator === null || !operators.includes(operator)) return false
  if (operator === 'empty' || operator === 'not_empty') return value === ''
  return column === 'result' ? fixed[type].includes(value) : value !== ''
}

type Case = { readonly draft: RawDraft; readonly filter: RawDraftFilter; readonly right: boolean }

const everyColumn = [
  ...new Set(rawTypes.flatMap((type) => rawStandardColumns[type])),
  ...Array.from({ length: 12 }, (_, number) => String(number)),
  ...['nonsense', ''],
]
const everyOperator: readonly (RawOperator | null)[] = [...operatorNames, null]

/** Every column that there is, and some that are not, with every operator, selected and not, with values of all sorts. */
function casesOf(type: RawType, instance: InstanceId): Case[] {
  return everyColumn.flatMap((column) =>
    everyOperator.flatMap((operator) =>
      [true, false].flatMap((selected) => {
        const own = column === 'result' ? [fixed[type][0] ?? '', 'maybe', ''] : ['a+b %20é', '']
        return own.map((value): Case => {
          const isStandard = rawStandardColumns[type].includes(column)
          const isAdditional = /^(?:[1-9]|10)$/.test(column)
          const filter = { column, operator, value }
          const draft: RawDraft = {
            ...{ type, instance, start: today, end: today, name: '', email: false },
            standard: selected && isStandard ? [column] : [column === 'source' ? 'campaign' : 'source'],
            additional: selected && isAdditional ? [Number(column)] : [],
            filters: [filter],
          }
          return { draft, filter, right: takes(type, selected && (isStandard || isAdditional), filter) }
        })
      }),
    ),
  )
}

describe('filters at the sandbox, over HTTP', () => {
  const service = tirelessForAll()

  async function isTaken({ draft, filter }: Case): Promise<boolean> {
    const { type, start, end, standard, additional } = draft
    const { answer } = await service.client.call('raw/request', {
      ...{ type, instance: service.instance, start, end, standard, send_email: false },
      ...(additional.length > 0 && { additional }),
      filters: [asFilledIn(filter)],
    })
    return answer.success
  }

  it.each(rawTypes)(
    'of %s are taken exactly where the draft’s rules and the specification take them',
    {
      timeout: 120_000,
    },
    async (type) => {
      const cases = casesOf(type, service.instance)
      const judged = cases.map((each) => ({ each, ours: checkDraft(each.draft, rules).kind === 'order' }))
      const words = ({ draft, filter }: Case) =>
        `${JSON.stringify(filter)} of ${draft.standard}/${draft.additional}`
      expect(judged.filter(({ each, ours }) => ours !== each.right).map(({ each }) => words(each))).toEqual(
        [],
      )
      const differing: string[] = []
      // Four at a time, as the client sends them.
      const left = [...cases]
      const worker = async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          // A value where none is applied: the service does not mind, the form does not send it.
          const ignored =
            ['empty', 'not_empty'].includes(next.filter.operator ?? '') && next.filter.value !== ''
          if (!ignored && (await isTaken(next)) !== next.right) differing.push(words(next))
        }
      }
      await Promise.all([worker(), worker(), worker(), worker()])
      expect(differing).toEqual([])
      expect(cases.filter(({ right }) => right).length).toBeGreaterThan(100)
    },
  )
})
