/// <reference types="vite/client" />
import './page.css'
import type { Contender } from './contender.ts'
import { headers, madeRows } from './made-rows.ts'
import { afterPaint, scroll } from './scroll.ts'
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
  readonly prepare: (name: ContenderName, rows: number) => Promise<void>
  /** Gives it the rows; milliseconds until a frame with the first of them is painted. */
  readonly show: () => Promise<number>
  readonly scroll: () => Promise<Scrolled>
}

declare global {
  interface Window {
    tableBench: TableBench
  }
}

let contender: Contender
let rows: ReturnType<typeof madeRows>

const place = document.getElementById('table')
const firstLabel = 'publisher-000000.example.com'
const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))

window.tableBench = {
  prepare: async (name, count) => {
    contender = await contenders[name]()
    rows = madeRows(count)
    if (rows[0]?.cells.length !== headers.length - 1) throw new Error('The rows do not fit the headers')
  },
  show: async () => {
    if (!place) throw new Error('There is no place for the table')
    await nextFrame()
    const began = performance.now()
    contender.give(place, rows)
    for (;;) {
      const painted = await afterPaint()
      if (contender.shown().includes(firstLabel)) return painted - began
      await nextFrame()
    }
  },
  scroll: async () => {
    const scroller = contender.scroller()
    if (!scroller) throw new Error('There is nothing to scroll')
    const { left, top, bottom } = scroller.getBoundingClientRect()
    const isRow = (y: number) => document.elementFromPoint(left + 40, y)?.closest(contender.row) !== null
    // Not to the very edges: what lies there may be a header, or a scroll bar.
    return scroll(scroller, () => isRow((top + bottom) / 2) && isRow(bottom - 60))
  },
}
