import { render, screen, waitFor } from '@testing-library/svelte'
import { setQueryClientContext } from '@tanstack/svelte-query'
import { expect, it } from 'vitest'
import OpenedRows from '#renderer/views/rows/OpenedRows.svelte'
import { provideApp } from '#renderer/stores/app.ts'
import { createApp } from '#renderer/stores/create-app.ts'
import { plainRaw, plainRows } from '#shared/views/address.ts'
import type { RowsAddress } from '#shared/views/view-address.ts'
import { account, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { fileOf, madeFile, rowsDesk } from '#test/src-renderer/helpers/made-rows.ts'

/** What every part reaches is there, as in the window; its address is the test's. */
function showRows(desk: ReturnType<typeof rowsDesk>) {
  const app = createApp(desk.bridge, window)
  const Rows: typeof OpenedRows = (internals, props) => {
    provideApp(app)
    setQueryClientContext(app.queries)
    return OpenedRows(internals, props)
  }
  const props = { account, address: { ...plainRows, files: [madeFile] } }
  return { app, shown: render(Rows, { props, context: new Map() }) }
}

it('keep their archives while the address is that of another view already', async () => {
  const desk = rowsDesk([fileOf({ kind: 'damaged' })])
  const { app, shown } = showRows(desk)
  await screen.findByRole('heading', { name: 'The saved rows are damaged' })
  // Addresses of other views have no archives; a part that goes away has theirs for a moment.
  await shown.rerender({ address: plainRaw as unknown as RowsAddress })
  desk.answer('rows/list', () => good([fileOf({ kind: 'importing', replaced: false })]))
  await app.queries.refetchQueries()
  await waitFor(() =>
    expect(screen.queryByRole('heading', { name: 'Importing Responses of the week' })).toBeTruthy(),
  )
})
