/// <reference types="vite/client" />
import './page.css'
import { within } from '#test/bench/measure/within.ts'
import { ROWS, labelAt, madeRows } from '../app/made-rows.ts'
import { layout } from './contender.ts'
import type { Contender } from './contender.ts'
import { afterPaint, nextFrame, scroll } from './scroll.ts'
import type { Scrolled } from './scroll.ts'

const contenders = {
  ours: async () => (await import('./ours.ts')).contender,
  'AG Grid': async () => (await import('./ag-grid.ts')).contender,
  Tabulator: async () => (await import('./tabulator.ts')).contender,
} as const satisfies Record<string, () => Promise<Contender>>

export type ContenderName = keyof typeof contenders

/** What the measurement calls from outside, step by step, so that it can look at the process in between. */
export type TableBench = {
  /** Loads a table's code and makes the rows. */
  readonly prepare: (name: ContenderName) => Promise<void>
  /** Gives it the rows; milliseconds until a frame with the first of them is painted. */
  readonly show: () => Promise<number>
  readonly scroll: () => Promise<Scrolled>
}

declare global {
  interface Window {
    tableBench: TableBench
  }
}

/** The longest that a table may take for its first rows, and for the whole scroll. */
const limits = { show: 20_000, scroll: 120_000 }

let contender: Contender
let rows: ReturnType<typeof madeRows>

const place = document.getElementById('table')

async function untilShown(label: string): Promise<number> {
  for (;;) {
    const painted = await afterPaint()
    if (contender.shown().includes(label)) return painted
    await nextFrame()
  }
}

window.tableBench = {
  prepare: async (name) => {
    contender = await contenders[name]()
    rows = madeRows()
  },
  show: async () => {
    if (!place) throw new Error('There is no place for the table')
    await nextFrame()
    const began = performance.now()
    await contender.give(place, rows)
    const first = labelAt(0)
    return (await within(limits.show, untilShown(first), `A row named ${first}`)) - began
  },
  scroll: async () => {
    const scroller = contender.scroller()
    if (!scroller) throw new Error('There is nothing to scroll')
    const { left, top, bottom } = scroller.getBoundingClientRect()
    const rowAt = (y: number) => document.elementFromPoint(left + 40, y)?.closest(contender.row) ?? null
    // Not to the very edges: what lies there may be a header, or a scroll bar.
    const isFilled = () => rowAt((top + bottom) / 2) !== null && rowAt(bottom - 60) !== null
    const height = rowAt((top + bottom) / 2)?.getBoundingClientRect().height
    if (height === undefined)
      throw new Error(`Nothing that fits "${contender.row}" is seen where rows belong`)
    if (Math.round(height) !== layout.row)
      throw new Error(`Rows are ${height} pixels high, not ${layout.row}`)
    const scrolled = await within(limits.scroll, scroll(scroller, isFilled), 'The end of the scroll')
    scroller.scrollTop = scroller.scrollHeight
    const last = labelAt(ROWS - 1)
    await within(limits.show, untilShown(last), `A row named ${last}`)
    return scrolled
  },
}
