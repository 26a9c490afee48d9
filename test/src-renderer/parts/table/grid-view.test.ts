import { expect, it, onTestFinished } from 'vitest'
import { columnsOf } from '../../../../src-renderer/parts/table/columns.ts'
import { layOut } from '../../../../src-renderer/parts/table/geometry.ts'
import { GridView } from '../../../../src-renderer/parts/table/grid-view.ts'
import { rowsAtHand } from '../../../../src-renderer/parts/table/row-source.ts'

it.each([
  ['beside their columns', 1600, '60px'],
  ['beneath them', 420, '90px'],
])('gives rows their height where changes stand %s, whatever the frame is marked for', (_, width, height) => {
  const { style } = document.documentElement
  style.setProperty('--row-height', '1rem')
  style.setProperty('--pair-height', '1.5rem')
  style.fontSize = '20px'
  onTestFinished(() => document.documentElement.removeAttribute('style'))
  const [frame, table] = [document.createElement('div'), document.createElement('table')]
  const [head, body] = [document.createElement('thead'), document.createElement('tbody')]
  frame.style.setProperty('--row-height', '9rem')
  table.append(head, body)
  frame.append(table)
  document.body.append(frame)
  onTestFinished(() => frame.remove())
  const columns = columnsOf(['Country', 'Requests', 'Suspect'], null, () => 'Requests')
  const row = (text: string) => ({ label: { kind: 'text' as const, text }, cells: [3, 1] })
  const view = new GridView({ frame, table, head, body }, 'grid')
  onTestFinished(() => view.close())
  view.show({
    drawing: {
      columns,
      ...layOut(columns, {}, width),
      ...{ all: null, above: 1, changes: () => () => undefined, pinned: 0 },
    },
    rows: rowsAtHand([row('Germany'), row('France'), row('Brazil')]),
    all: null,
  })
  expect(body.style.height).toBe(height)
})
