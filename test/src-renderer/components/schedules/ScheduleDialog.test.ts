import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { caseNumber, deskWithSchedules, schedule, view } from '#test/src-renderer/helpers/scheduled.ts'
import { choose, show, standAt, type } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const form = async () => within(await screen.findByRole('dialog', { name: /schedule$/ }))
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))
const save = async () => fireEvent.click((await form()).getByRole('button', { name: 'Save schedule' }))
const field = async (name: string) => (await form()).findByLabelText(name)
const check = async (name: string) => fireEvent.click(await field(name))
const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

async function opened(desk = deskWithSchedules([]).desk) {
  show(desk, '#/schedules')
  await press('New schedule')
  await form()
  return desk
}

describe('the form of a schedule', () => {
  it('saves chosen views on weekdays, by the clock of this computer', async () => {
    const desk = await opened()
    expect(screen.queryByLabelText('Rows')).toBeNull()
    await check('View 1')
    await check('View 2')
    expect(await field('Name')).toHaveProperty('value', 'View 1, View 2')
    choose(await field('Format'), 'Parquet')
    expect((await form()).getByText('Kestrel Media View 1 2026-11-20.parquet')).toBeTruthy()
    choose(await field('Format'), 'Excel (XLSX)')
    await check('Thu')
    type(await field('Time'), '06:30')
    expect((await form()).getByText(/^Every Monday and Thursday at 06:30, /)).toBeTruthy()
    expect((await form()).getByText('Kestrel Media View 1 2026-11-20.xlsx')).toBeTruthy()
    await save()
    await isClosed()
    expect(desk.argumentsOf('schedules/save')).toEqual([
      {
        ...{ account: account.id, id: null },
        entry: {
          ...{ name: 'View 1, View 2', fileNames: '{account} {name} {day}', format: 'xlsx', folder: null },
          subject: { kind: 'views', views: [view(1).id, view(2).id] },
          rule: { days: { kind: 'week', weekdays: [1, 4] }, hour: 6, minute: 30, zone: ownZone },
          ...{ settled: false, patience: 24, paused: false },
        },
      },
    ])
  })

  it('saves Today or a case once a month, into a folder that was chosen', async () => {
    const desk = deskWithSchedules([]).desk
    desk
      .answer('cases/list', () =>
        good([
          {
            ...{ id: caseNumber, begunAt: 0, savedAt: null, sentAt: null },
            entry: { name: 'Refund' },
          } as never,
        ]),
      )
      .answer('schedules/choose-folder', () => good('/reports/north'))
    await opened(desk)
    choose(await field('What'), 'Today')
    await waitFor(() => expect(screen.queryByLabelText('Format')).toBeNull())
    choose(await field('What'), 'A case')
    choose(await field('Case'), 'Refund')
    choose(await field('Repeat'), 'Every month')
    choose(await field('Day of the month'), '31st')
    await (await form()).findByText(/^On the last day of every month at /)
    await press('Choose folder…')
    await (await form()).findByText('/reports/north')
    type(await field('Name'), 'Monthly claim')
    type(await field('File name'), '{schedule}')
    await save()
    await isClosed()
    expect(desk.argumentsOf('schedules/save')[0]?.entry).toMatchObject({
      ...{ name: 'Monthly claim', fileNames: '{schedule}', format: 'zip', folder: '/reports/north' },
      ...{ subject: { kind: 'case', id: caseNumber }, rule: { days: { kind: 'month', day: 31 } } },
    })
  })

  it('gives figures time to become final', async () => {
    const desk = await opened()
    await check('View 1')
    await check('Wait until figures are final')
    expect(await field('Stop waiting after')).toHaveProperty('value', '3')
    await save()
    await isClosed()
    expect(desk.argumentsOf('schedules/save')[0]?.entry).toMatchObject({ settled: true, patience: 72 })
  })

  it('does not offer to wait for final figures where there are none', async () => {
    const desk = await opened()
    await check('Wait until figures are final')
    choose(await field('What'), 'Today')
    await waitFor(() => expect(screen.queryByLabelText('Wait until figures are final')).toBeNull())
    await save()
    await isClosed()
    expect(desk.argumentsOf('schedules/save')[0]?.entry).toMatchObject({ settled: false })
  })

  it('says what the workbook of an Overview holds', async () => {
    const { desk } = deskWithSchedules([])
    const views = [view(1), view(2, { address: '#/overview?period=yesterday' })]
    await opened(desk.answer('views/list', () => good(views)))
    await check('View 1')
    choose(await field('Format'), 'Excel (XLSX)')
    expect(screen.queryByText(/every table/)).toBeNull()
    await check('View 2')
    await screen.findByText('Overview: figures, days and every table. Sources and campaigns only if saved.')
  })

  it('says at its fields what is missing, and what the main process refuses', async () => {
    const desk = await opened()
    await save()
    expect((await form()).getByText('Choose at least one view.')).toBeTruthy()
    expect(document.activeElement).toBe(await field('View 1'))
    await check('View 1')
    await check('Mon')
    await save()
    expect((await form()).getByText('Choose at least one weekday.')).toBeTruthy()
    await check('Mon')
    type(await field('Stop waiting after'), '8')
    await save()
    expect((await form()).getByText('Enter a whole number, up to 7 days.')).toBeTruthy()
    expect(document.activeElement).toBe(await field('Stop waiting after'))
    choose(await field('Unit'), 'hours')
    const refusals = [
      ['name', 'Name'],
      ['fileNames', 'File name'],
    ] as const
    for (const [about, label] of refusals) {
      const message = `Words about ${about}.`
      desk.answer('schedules/save', () => failed('invalid', { field: about, message }))
      await save()
      await (await form()).findByText(message)
      await waitFor(async () => expect(document.activeElement).toBe(await field(label)))
    }
    desk.answer('schedules/save', () => failed('invalid', { field: 'folder', message: 'No such folder.' }))
    await save()
    await (await form()).findByText('No such folder.')
    desk.answer('schedules/save', () => failed('invalid', { message: 'There are 500 schedules already.' }))
    await save()
    await (await form()).findByText('There are 500 schedules already.')
  })

  it('shows a schedule to change, with its views that were deleted', async () => {
    const { desk } = deskWithSchedules([
      schedule(1, {
        subject: { kind: 'views', views: [view(1).id, view(7).id] },
        ...{ patience: 36, folder: '/reports', paused: true },
      }),
    ])
    show(desk, '#/schedules')
    const more = await screen.findByRole('button', { name: 'More for Weekly 1' })
    more.focus()
    await fireEvent.keyDown(more, { key: 'ArrowDown' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit…' }))
    expect(await field('Stop waiting after')).toHaveProperty('value', '36')
    expect(await field('Time zone')).toHaveProperty('value', 'Europe/Berlin')
    await check('A deleted view')
    await press('Use Downloads folder')
    await save()
    await isClosed()
    const [changed] = desk.argumentsOf('schedules/save')
    const { id: _id, nextAt: _next, runs: _runs, ...before } = schedule(1)
    expect(changed).toEqual({
      ...{ account: account.id, id: schedule(1).id },
      entry: { ...before, patience: 36, paused: true },
    })
  })

  it('opens from the palette and the export menu with the saved view that is open', async () => {
    const { desk } = deskWithSchedules([])
    desk.answer('views/list', () => good([]))
    show(desk, '#/reports/script/sources')
    await press('Export')
    expect(await screen.findByRole('menuitem', { name: 'PDF for a client…' })).toBeTruthy()
    expect(screen.queryByRole('menuitem', { name: 'Schedule…' })).toBeNull()
    await fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
    desk.answer('views/list', () => good([view(1)]))
    desk.emit('views/changed', { account: account.id })
    await screen.findByRole('button', { name: 'Views' })
    await waitFor(() => expect(desk.argumentsOf('views/list').length).toBe(2))
    await press('Export')
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Schedule…' }))
    await waitFor(async () => expect(await field('View 1')).toHaveProperty('checked', true))
    await press('Cancel')
    await isClosed()
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    const palette = within(await screen.findByRole('dialog', { name: 'Command palette' }))
    const search = palette.getByRole('combobox')
    type(search, 'new schedule')
    await screen.findByRole('option', { name: /New schedule/ })
    await fireEvent.keyDown(search, { key: 'Enter' })
    await waitFor(async () => expect(await field('View 1')).toHaveProperty('checked', true))
  })

  it('opens from the menu of a saved view', async () => {
    const { desk } = deskWithSchedules([])
    show(desk, '#/overview')
    await fireEvent.click(await screen.findByRole('button', { name: 'Views' }))
    const more = await screen.findByRole('button', { name: 'More for View 2' })
    more.focus()
    await fireEvent.keyDown(more, { key: 'ArrowDown' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Schedule…' }))
    await waitFor(async () => expect(await field('View 2')).toHaveProperty('checked', true))
    expect(await field('View 1')).toHaveProperty('checked', false)
  })
})
