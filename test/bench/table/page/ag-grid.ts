import {
  ClientSideRowModelModule,
  ModuleRegistry,
  PinnedRowModule,
  createGrid,
  themeQuartz,
} from 'ag-grid-community'
import type { TableRow } from '../../../../src-shared/service/answers.ts'
import type { Contender } from './contender.ts'
import { ROW_HEIGHT, figure, textsOf } from './contender.ts'
import { headers } from './made-rows.ts'

ModuleRegistry.registerModules([ClientSideRowModelModule, PinnedRowModule])

const labelOf = (row: TableRow | undefined) => (row?.label.kind === 'text' ? row.label.text : 'All')

/** AG Grid Community with the modules that it needs for this and no other; a pinned row for all, as ours has. */
export const contender: Contender = {
  give: (place, rows) => {
    const inner = document.createElement('div')
    inner.style.height = '100%'
    place.append(inner)
    createGrid<TableRow>(inner, {
      theme: themeQuartz,
      rowHeight: ROW_HEIGHT,
      columnDefs: headers.map((header, at) =>
        at === 0
          ? { headerName: header, width: 300, valueGetter: ({ data }) => labelOf(data) }
          : {
              headerName: header,
              width: 130,
              valueGetter: ({ data }) => data?.cells[at - 1],
              valueFormatter: ({ value }) => figure(value),
            },
      ),
      pinnedTopRowData: [
        { label: { kind: 'all', name: null }, cells: headers.slice(1).map(() => 90_000_000) },
      ],
      rowData: [...rows],
    })
  },
  shown: () => textsOf('.ag-grid-scrolling-container .ag-row .ag-cell:first-child'),
  scroller: () => document.querySelector('.ag-grid-viewport'),
  row: '.ag-row',
}
