import { describe, expect, it } from 'vitest'
import type { TableRow } from '#shared/api/answers.ts'
import { columnsOf } from '#renderer/components/table/columns.ts'
import { layOut } from '#renderer/components/table/geometry.ts'
import type { RowDrawing } from '#renderer/components/table/row-element.ts'
import { RowPool, rowsAtHand } from '#renderer/components/table/row-pool.ts'

const HEIGHT = 24
const noMarks = { selected: null, active: null }

function drawingOf(headers: readonly string[], width: number, above = 1): RowDrawing {
  const columns = columnsOf(headers, null, null)
  return {
    columns,
    ...layOut(columns, {}, width),
    all: null,
    above,
    changes: () => () => undefined,
    pinned: 0,
  }
}

const rowOf = (name: string, ...cells: number[]): TableRow => ({ label: { kind: 'text', text: name }, cells })

describe('the rows on screen', () => {
  const show = (pool: RowPool, ...rows: TableRow[]) =>
    pool.show(0, rows.length - 1, rowsAtHand(rows), noMarks, true)

  it('keeps its elements for another table that is laid out alike', () => {
    const body = document.createElement('tbody')
    const pool = new RowPool(body, 'rows', drawingOf(['Browser', 'Requests'], 800), HEIGHT)
    show(pool, rowOf('Firefox', 3), rowOf('Chrome', 2))
    const lines = [...body.children]
    pool.become(drawingOf(['Session', 'Responses'], 800, 2), HEIGHT)
    show(pool, rowOf('One', 7), rowOf('Two', 5))
    expect([...body.children].every((line, at) => line === lines[at])).toBe(true)
    expect(lines.map((line) => line.textContent)).toEqual(['One7', 'Two5'])
    expect(lines.map((line) => line.getAttribute('aria-rowindex'))).toEqual(['3', '4'])
  })

  it('makes them anew for other columns, other widths and another height', () => {
    const body = document.createElement('tbody')
    const pool = new RowPool(body, 'rows', drawingOf(['Browser', 'Requests'], 800), HEIGHT)
    const others = [
      [drawingOf(['Browser', 'Requests', 'Bad'], 800), HEIGHT],
      [drawingOf(['Browser', 'Requests', 'Bad'], 900), HEIGHT],
      [drawingOf(['Browser', 'Requests', 'Bad'], 900), 2 * HEIGHT],
    ] as const
    for (const [drawing, height] of others) {
      show(pool, rowOf('Firefox', 3, 1))
      const [line] = body.children
      pool.become(drawing, height)
      show(pool, rowOf('Firefox', 3, 1))
      expect(body.children).toHaveLength(1)
      expect(body.children[0]).not.toBe(line)
    }
  })
})
