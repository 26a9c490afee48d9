/// <reference types="vite/client" />
import { FormatModule, Tabulator } from 'tabulator-tables'
import 'tabulator-tables/dist/css/tabulator.min.css'
import type { TableRow } from '#shared/api/answers.ts'
import { headers } from '../app/made-rows.ts'
import type { Contender } from './contender.ts'
import { figure, labelOf, layout, textsOf } from './contender.ts'

Tabulator.registerModule([FormatModule])

/** Tabulator's core, which draws what is on screen, and the module that writes figures. */
export const contender: Contender = {
  give: (place, rows) => {
    const inner = document.createElement('div')
    place.append(inner)
    new Tabulator(inner, {
      height: place.clientHeight,
      rowHeight: layout.row,
      data: [...rows],
      columns: headers.map((title, at) =>
        at === 0
          ? {
              title,
              field: 'label',
              width: layout.label,
              formatter: (cell) => labelOf(cell.getData() as TableRow),
            }
          : {
              title,
              field: `cells.${at - 1}`,
              width: layout.figure,
              hozAlign: 'right',
              formatter: (cell) => figure(cell.getValue()),
            },
      ),
    })
  },
  shown: () => textsOf('.tabulator-row .tabulator-cell:first-child'),
  scroller: () => document.querySelector('.tabulator-tableholder'),
  row: '.tabulator-row',
}
