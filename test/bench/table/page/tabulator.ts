/// <reference types="vite/client" />
import { FormatModule, Tabulator } from 'tabulator-tables'
import 'tabulator-tables/dist/css/tabulator.min.css'
import type { TableRow } from '../../../../src-shared/service/answers.ts'
import type { Contender } from './contender.ts'
import { ROW_HEIGHT, figure, textsOf } from './contender.ts'
import { headers } from './made-rows.ts'

Tabulator.registerModule([FormatModule])

const labelOf = ({ label }: TableRow) => (label.kind === 'text' ? label.text : 'All')

/** Tabulator's core, and the module that writes figures, drawing what is on screen. */
export const contender: Contender = {
  give: (place, rows) => {
    const inner = document.createElement('div')
    place.append(inner)
    new Tabulator(inner, {
      height: 640,
      rowHeight: ROW_HEIGHT,
      data: [...rows],
      columns: headers.map((title, at) => ({
        title,
        field: at === 0 ? 'label' : `cells.${at - 1}`,
        width: at === 0 ? 300 : 130,
        formatter: (cell) =>
          at === 0
            ? labelOf(cell.getData() as TableRow)
            : figure((cell.getData() as TableRow).cells[at - 1] ?? null),
      })),
    })
  },
  shown: () => textsOf('.tabulator-row .tabulator-cell:first-child'),
  scroller: () => document.querySelector('.tabulator-tableholder'),
  row: '.tabulator-row',
}
