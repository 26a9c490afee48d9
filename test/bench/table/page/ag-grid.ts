import {
  ClientSideRowModelModule,
  ModuleRegistry,
  PinnedRowModule,
  createGrid,
  themeQuartz,
} from 'ag-grid-community'
import type { TableRow } from '#shared/api/answers.ts'
import { all, headers } from '../app/made-rows.ts'
import type { Contender } from './contender.ts'
import { figure, labelOf, layout, textsOf } from './contender.ts'

ModuleRegistry.registerModules([ClientSideRowModelModule, PinnedRowModule])

/** AG Grid Community with the modules that it needs for this and no other; a pinned row for all, as ours has. */
export const contender: Contender = {
  give: (place, rows) => {
    const inner = document.createElement('div')
    inner.style.height = '100%'
    place.append(inner)
    createGrid<TableRow>(inner, {
      theme: themeQuartz,
      rowHeight: layout.row,
      columnDefs: headers.map((header, at) =>
        at === 0
          ? { headerName: header, width: layout.label, valueGetter: ({ data }) => labelOf(data) }
          : {
              headerName: header,
              width: layout.figure,
              type: 'rightAligned',
              valueGetter: ({ data }) => data?.cells[at - 1],
              valueFormatter: ({ value }) => figure(value),
            },
      ),
      pinnedTopRowData: [all],
      rowData: [...rows],
    })
  },
  shown: () => textsOf('.ag-grid-scrolling-container .ag-row .ag-cell:first-child'),
  scroller: () => document.querySelector('.ag-grid-viewport'),
  row: '.ag-row',
}
