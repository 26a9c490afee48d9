import type { ListedReport } from '#shared/raw/list.ts'
import { canCancel, canDownloadAlone, canOpenRows, canShow } from './can.ts'
import type { ReportActions } from './report-actions.ts'

/** Something that can be done to a report in the list: its name, and its picture. */
export type Deed = { readonly name: string; readonly path: string; readonly run: () => void }

/** What can be done to a report now: the buttons of its row, and its menu. */
export function deedsFor(listed: ListedReport, actions: ReportActions): readonly Deed[] {
  const deeds: readonly (Deed & { readonly can: boolean })[] = [
    {
      name: 'Details',
      path: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM8 7.5V11M8 5h.01',
      can: true,
      run: () => actions.open(listed.row.id),
    },
    {
      name: 'Download',
      path: 'M8 2v8m0 0L4.5 6.5M8 10l3.5-3.5M2.5 13.5h11',
      can: canDownloadAlone(listed),
      run: () => void actions.download(listed),
    },
    {
      name: 'Show in folder',
      path: 'M1.5 12.5v-9h4.5l1.5 2h7v7z',
      can: canShow(listed),
      run: () => void actions.show(listed),
    },
    {
      name: 'Open rows',
      path: 'M2 3.5h12v9H2zM2 6.5h12M2 9.5h12M6.5 6.5v6',
      can: canOpenRows(listed),
      run: () => actions.openRows(listed),
    },
    {
      name: 'Cancel report',
      path: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM6 6l4 4m0-4-4 4',
      can: canCancel(listed),
      run: () => void actions.cancel(listed),
    },
    {
      name: 'Remove',
      path: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.5 9h7l.5-9M6.75 7v4M9.25 7v4',
      can: true,
      run: () => void actions.remove([listed]),
    },
  ]
  return deeds.filter(({ can }) => can)
}
