import type { EventIndex, RawRows } from '#main/sandbox/contracts.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instanceId } from '#shared/values/ids.ts'
import type { InstanceId } from '#shared/values/ids.ts'

export const today = day('2026-11-20')

export function id(text: string): InstanceId {
  const read = instanceId(text)
  if (read === undefined) throw new TypeError('No id')
  return read
}

export const instances = [
  { id: id('101'), name: 'Shop & Söhne 100%' },
  { id: id('102'), name: 'News + "more"' },
  { id: id('103'), name: '中 / plain' },
]

/** Cells as awkward as CSV and filters can meet. */
const cells = ['', 'plain', 'a,b', 'say "hi"', 'é 中', 'two\r\nlines', '50%+', ' spaced ', 'plain too']

type Event = { readonly day: Day; readonly instance: InstanceId; readonly time: string }

const perDay = 6

const events: readonly Event[] = daysOf({ start: addDays(today, -119), end: today }).flatMap((each) =>
  Array.from({ length: perDay }, (_, index) => ({
    day: each,
    instance: id(String(101 + (index % 3))),
    time: `${each}T0${index}:15:00Z`,
  })),
)

const results: Readonly<Record<RawType, readonly string[]>> = {
  request: ['with-responses', 'drops'],
  response: ['good', 'warning', 'bad'],
  direct: ['non-suspect', 'suspect'],
}

/** A few hundred rows whose values follow from their place, standing in for the events of a whole sandbox. */
export function fakeRows(restated: readonly Day[] = []): RawRows {
  return {
    rows: (type, instance, range) =>
      events.flatMap((event, index): EventIndex[] => {
        const within = event.day >= range.start && event.day <= range.end && event.instance === instance
        const of = type === 'direct' ? index % 4 !== 0 : true
        return within && of ? [index] : []
      }),
    timestamp: (event) => events[event]?.time ?? '',
    value: (type, column, event) => {
      const again = restated.includes(events[event]?.day ?? today) ? 1 : 0
      const pool = column === 'result' ? results[type] : cells
      const salt = [...String(column)].reduce((sum, letter) => sum * 7 + letter.charCodeAt(0), 0)
      return pool[(event * 5 + salt + again) % pool.length] ?? ''
    },
    restated: fakeRows,
  }
}
