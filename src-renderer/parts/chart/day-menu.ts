import type { Day, DayRange } from '../../../src-shared/values/day.ts'
import type { Period } from '../../../src-shared/views/period.ts'
import type { ReportAddress } from '../../../src-shared/views/view-address.ts'
import type { App } from '../../state/app.ts'
import type { MenuGroups, MenuItem } from '../../state/context-menu.svelte.ts'
import { canRequestRaw, requestRaw } from '../../state/raw-rows.ts'
import { dayInFull } from '../formats.ts'

/** The period of one day. */
export const onlyDay = (day: Day): Period => ({ kind: 'custom', range: { start: day, end: day } })

/**
 * What can be done with a day of a chart.
 * @param view the report that the chart is of, whose raw rows can be asked for
 * @param range the days that the chart shows
 * @param open shows that day alone
 */
export function dayMenu(
  app: Pick<App, 'desk' | 'navigation'>,
  view: ReportAddress,
  range: DayRange,
  day: Day | null,
  open: (day: Day) => void,
): MenuGroups {
  const raw = canRequestRaw(app)
  const one = day !== null && range.start !== range.end
  const whole: MenuItem = { words: 'Request raw rows for this view…', run: () => requestRaw(app, view) }
  return [
    one ? [{ words: `Only ${dayInFull(day)}`, run: () => open(day) }] : [],
    [
      ...(raw && one
        ? [
            {
              words: `Request raw rows of ${dayInFull(day)}…`,
              run: () => requestRaw(app, { ...view, period: onlyDay(day) }),
            },
          ]
        : []),
      ...(raw ? [whole] : []),
    ],
  ]
}
