import { expect, it, onTestFinished } from 'vitest'
import { columnsOf } from '#renderer/components/table/columns.ts'
import { layOut } from '#renderer/components/table/geometry.ts'
import { GridView } from '#renderer/components/table/grid-view.ts'
import { rowsAtHand } from '#renderer/components/table/row-pool.ts'

const row = (text: string) => ({ label: { kind: 'text' as const, text }, cells: [3, 1] })
const columns = columnsOf(['Country', 'Requests', 'Suspect'], null, () => 'Requests')
const drawingIn = (width: number) => ({
  columns,
  ...layOut(columns, {}, width),
  ...{ all: null, above: 1, changes: () => () => undefined, pinned: 0 },
})

function gridOnPage() {
  const [frame, table] = [document.createElement('div'), document.createElement('table')]
  const [head, body] = [document.createElement('thead'), document.createElement('tbody')]
  table.append(head, body)
  frame.append(table)
  document.body.append(frame)
  const view = new GridView(frame, table, 'grid')
  onTestFinished(() => {
    view.close()
    frame.remove()
  })
  return { frame, body, view }
}

it.each([
  ['beside their columns', 1600, '60px'],
  ['beneath them', 420, '90px'],
])('gives rows their height where changes stand %s, whatever the frame is marked for', (_, width, height) => {
  const { style } = document.documentElement
  style.setProperty('--row-height', '1rem')
  style.setProperty('--pair-height', '1.5rem')
  style.fontSize = '20px'
  onTestFinished(() => document.documentElement.removeAttribute('style'))
  const { frame, body, view } = gridOnPage()
  frame.style.setProperty('--row-height', '9rem')
  view.show({
    drawing: drawingIn(width),
    rows: rowsAtHand([row('Germany'), row('France'), row('Brazil')]),
    all: null,
  })
  expect(body.style.height).toBe(height)
})

it('marks the places of rows while some of those on screen are still to come, and what is seen alone', () => {
  const { frame, body, view } = gridOnPage()
  const drawing = drawingIn(1600)
  const loaded = rowsAtHand([row('Germany'), row('France'), row('Brazil')])
  view.show({
    drawing,
    rows: { ...loaded, row: (index) => (index === 1 ? null : loaded.row(index)) },
    all: null,
  })
  const places = frame.querySelector<HTMLElement>('.places')
  expect(places?.hidden).toBe(false)
  expect(body.getAttribute('aria-busy')).toBe('true')
  expect(body.style.background).toBe('')
  view.show({ drawing, rows: loaded, all: null })
  expect(places?.hidden).toBe(true)
  expect(body.getAttribute('aria-busy')).toBe('false')
})
