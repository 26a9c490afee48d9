import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import type {
  ImportDoubt,
  ImportPreview,
  DetectedFormat,
  RowsState,
  TableShape,
} from '#shared/archives/rows-file.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { fileOf, madeFile, rowsDesk, wholeState } from '#test/src-renderer/helpers/made-rows.ts'
import { choose, show } from '#test/src-renderer/helpers/show.ts'

const shape = 'ab'.repeat(16) as TableShape
const readAs: DetectedFormat = {
  ...{ encoding: 'utf-8', delimiter: ';', hasHeader: true, linesBefore: 1, linesAfter: 0, short: 0 },
  doubts: ['month-first'],
}
const preview: ImportPreview = {
  ...{ shape, choice: {}, readAs, last: [], tables: 1 },
  lines: ['Partner clicks', 'when;ref', '03/04/2026;a1'],
  columns: [
    { name: 'when', form: 'month-first', role: null, cells: ['03/04/2026'] },
    { name: 'ref', form: 'text', role: null, cells: ['a1'] },
  ],
}

/** A desk whose file was read with doubts, or without; each reading is another by its time. */
let readings = 0
function desk(...doubts: readonly ImportDoubt[]) {
  if (wholeState.kind !== 'whole') throw new Error('The rows are whole.')
  const readAt = (readings += 1) as Instant
  const facts = { ...wholeState.facts, readAt, readAs: [{ ...readAs, doubts }] }
  const state: RowsState = { kind: 'whole', facts }
  return rowsDesk([fileOf(state, { report: null })]).answer('rows/preview', ({ chosen }) =>
    good({ ...preview, choice: chosen?.choice ?? {} }),
  )
}
const dialog = () => screen.findByRole('dialog', { name: 'How this file is read' })

it('is shown where a reading is not sure, takes what is chosen, and imports by it', async () => {
  const of = desk('month-first')
  show(of, `#/rows/${madeFile}`)
  const inside = within(await dialog())
  const type = await inside.findByRole('combobox', { name: 'Type of when' })
  choose(type, 'Time: day first')
  choose(inside.getByRole('combobox', { name: 'Role of ref' }), 'Click ID')
  const choice = {
    columns: [
      { name: 'when', form: 'day-first' },
      { name: 'ref', role: 'click_id' },
    ],
  }
  await waitFor(() =>
    expect(of.argumentsOf('rows/preview').at(-1)).toMatchObject({ chosen: { shape, choice } }),
  )
  await fireEvent.click(inside.getByRole('button', { name: 'Import' }))
  await waitFor(() =>
    expect(of.argumentsOf('rows/import')).toEqual([
      { account: account.id, file: madeFile, chosen: { shape, choice } },
    ]),
  )
})

it('is opened by “Change” where a reading is sure, and drops what was chosen for columns with another separator', async () => {
  const of = desk()
  show(of, `#/rows/${madeFile}`)
  await fireEvent.click(await screen.findByRole('button', { name: /^Change how .* is read$/ }))
  const inside = within(await dialog())
  choose(await inside.findByRole('combobox', { name: 'Role of ref' }), 'Sub-ID')
  choose(inside.getByRole('combobox', { name: 'Separated by' }), 'commas')
  choose(inside.getByRole('combobox', { name: 'Table begins in line' }), '1')
  await waitFor(() =>
    expect(of.argumentsOf('rows/preview').at(-1)).toMatchObject({
      chosen: { choice: { delimiter: ',', start: { line: 1, hasHeader: true }, columns: [] } },
    }),
  )
  await fireEvent.click(inside.getByRole('button', { name: 'Use detected format' }))
  await waitFor(() => expect(of.argumentsOf('rows/preview').at(-1)).toMatchObject({ chosen: { choice: {} } }))
})

it('says why a file cannot be looked at', async () => {
  const of = desk('header').answer('rows/preview', () => failed('invalid'))
  show(of, `#/rows/${madeFile}`)
  const { failure } = failed('invalid')
  expect((await within(await dialog()).findByRole('alert')).textContent).toBe(failure.message)
})

it('changes how a file is read whose import failed', async () => {
  const failure = { kind: 'invalid', message: 'This is not a table: a quote is not closed.' } as const
  const of = rowsDesk([fileOf({ kind: 'failed', failure }, { report: null })]).answer('rows/preview', () =>
    good(preview),
  )
  show(of, `#/rows/${madeFile}`)
  await screen.findByText(failure.message)
  await fireEvent.click(screen.getByRole('button', { name: 'Change' }))
  const inside = within(await dialog())
  choose(await inside.findByRole('combobox', { name: 'Type of when' }), 'Time: day first')
  await fireEvent.click(await inside.findByRole('button', { name: /^(?:Import|Read)/ }))
  await waitFor(() =>
    expect(of.argumentsOf('rows/import').at(-1)).toMatchObject({
      file: madeFile,
      chosen: { shape, choice: { columns: [{ name: 'when', form: 'day-first' }] } },
    }),
  )
})
