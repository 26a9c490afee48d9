import type { Day, DayRange } from '#shared/values/day.ts'
import type { Period } from '#shared/views/period.ts'
import { addNoteWords } from '#shared/texts/notes.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import type { WindowApp } from '#renderer/stores/app.ts'
import type { MenuGroups, MenuItem } from '#renderer/stores/context-menu.svelte.ts'
import { copyText } from '#renderer/stores/copy-text.ts'
import { canRequestRaw, requestRaw } from '#renderer/stores/raw-rows.ts'
import { dayInFull } from '../formats.ts'

type Needed = Pick<WindowApp, 'bridge' | 'desk' | 'menu' | 'messages' | 'navigation' | 'noteForm'>

export const onlyDay = (day: Day): Period => ({ kind: 'custom', range: { start: day, end: day } })

type MenuChart = {
  readonly name: string
  /** Report of the chart, whose raw rows can be requested. */
  readonly view: ReportAddress
  /** View that shows the chart, and notes on its days. */
  readonly shownIn: OverviewAddress | ReportAddress
  /** Days of the chart. */
  readonly range: DayRange
  /** Opens a single day. */
  readonly open: (day: Day) => void
}

/** Opens the menu of a chart for one of its days. `text` returns its figures for the clipboard. */
export function openDayMenu(
  app: Needed,
  event: MouseEvent,
  day: Day | null,
  text: () => string,
  chart: MenuChart,
): void {
  const done = 'Copied the figures of the chart.'
  const copying = { words: 'Copy the figures', run: () => void copyText(app, text(), done) }
  const { shownIn: address, range } = chart
  const noting = {
    words: addNoteWords,
    run: () => app.noteForm.open({ address, range: day === null ? range : { start: day, end: day } }),
  }
  app.menu.open(event, chart.name, [...dayItems(app, chart, day), [noting, copying]])
}

function dayItems(app: Needed, { view, range, open }: MenuChart, day: Day | null): MenuGroups {
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
