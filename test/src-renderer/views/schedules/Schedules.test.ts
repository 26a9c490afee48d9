import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '#shared/accounts/account.ts'
import { FakeDesk, account, failed, good, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { deskWithSchedules, made, run, schedule, skipped } from '#test/src-renderer/helpers/scheduled.ts'
import { pick, show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const rows = async () => {
  const table = await screen.findByRole('table', { name: 'Schedules' })
  await waitFor(() => expect(table.parentElement?.getAttribute('aria-busy')).toBe('false'))
  return within(table).getAllByRole('row').slice(1)
}
const press = async (name: string | RegExp) => fireEvent.click(await screen.findByRole('button', { name }))

/** Chooses an entry of a row's menu by the keyboard. */
async function pressInMenu(of: string, name: string) {
  const button = await screen.findByRole('button', { name: `More for ${of}` })
  button.focus()
  await fireEvent.keyDown(button, { key: 'ArrowDown' })
  await fireEvent.click(await screen.findByRole('menuitem', { name }))
}

const menuOf = async (of: string) => {
  const button = await screen.findByRole('button', { name: `More for ${of}` })
  button.focus()
  await fireEvent.keyDown(button, { key: 'ArrowDown' })
  return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent.trim())
}

describe('schedules', () => {
  it('are listed with what they save, when, and what became of their last run', async () => {
    const { desk } = deskWithSchedules([
      schedule(1, { runs: [made(16), run(9, { kind: 'missed' }), skipped(2)] }),
      schedule(2, { subject: { kind: 'today' }, runs: [run(16, { kind: 'waiting', for: 'figures' })] }),
      schedule(3, { paused: true, nextAt: null, runs: [skipped(16)] }),
    ])
    show(desk, '#/schedules')
    const [first, second, third] = await rows()
    await waitFor(() => expect(first?.textContent).toMatch(/Weekly 1.*View 1 · PDF/s))
    expect(first?.textContent).toMatch(/Every Monday at 08:00, Berlin time.*Nov 23/s)
    expect(first?.textContent).toMatch(/Created.*Nov 16.*View 1 2026-11-16\.pdf · figures from /s)
    expect(second?.textContent).toMatch(/Today · PDF.*Waiting for figures/s)
    expect(third?.textContent).toMatch(/Paused.*Skipped.*Its view was deleted\./s)
    const earlier = within(screen.getByRole('list', { name: 'Earlier runs of Weekly 1' }))
    expect(earlier.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/Missed.*Nov 9.*The app was closed, asleep or paused\./s),
      expect.stringMatching(/Skipped.*Nov 2/s),
    ])
    expect(screen.getByRole('heading', { level: 1, name: 'Schedules' })).toBeTruthy()
  })

  it('have a file that is shown and sent by mail, and are created afterwards if missed or skipped', async () => {
    const { desk } = deskWithSchedules([
      schedule(1, { runs: [skipped(16), made(9, true), run(2, { kind: 'missed' })] }),
    ])
    show(desk, '#/schedules')
    await pressInMenu('Weekly 1', 'Show file')
    await pressInMenu('Weekly 1', 'Send by mail…')
    await pressInMenu('Weekly 1', 'Create now')
    await press('Show file')
    const which = { account: account.id, id: schedule(1).id }
    await waitFor(() =>
      expect(desk.argumentsOf('schedules/show')).toEqual([
        { ...which, day: '2026-11-09' },
        { ...which, day: '2026-11-09' },
      ]),
    )
    expect(desk.argumentsOf('schedules/mail')).toEqual([{ ...which, day: '2026-11-09' }])
    expect(desk.argumentsOf('schedules/make')).toEqual([{ ...which, day: '2026-11-16' }])
    desk.answer('schedules/make', () => failed('disk', { message: 'The disk is full.' }))
    await press('Create now')
    await screen.findByText('The disk is full.')
    expect(desk.argumentsOf('schedules/make').at(-1)).toEqual({ ...which, day: '2026-11-02' })
  })

  it('are not created afterwards if they are Today of an earlier day', async () => {
    const { desk } = deskWithSchedules([
      schedule(1, { subject: { kind: 'today' }, runs: [skipped(19), run(18, { kind: 'missed' })] }),
      schedule(2, { subject: { kind: 'today' }, runs: [skipped(20)] }),
    ])
    show(desk, '#/schedules')
    expect(await menuOf('Weekly 1')).not.toContain('Create now')
    expect(screen.queryByRole('button', { name: 'Create now' })).toBeNull()
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    expect(await menuOf('Weekly 2')).toContain('Create now')
  })

  it('offer what their runs allow', async () => {
    const { desk } = deskWithSchedules([schedule(1)])
    show(desk, '#/schedules')
    expect(await menuOf('Weekly 1')).toEqual(['Edit…', 'Pause', 'Remove'])
  })

  it('are paused, resumed, edited, and removed with an undo', async () => {
    const { desk, schedules } = deskWithSchedules([schedule(1), schedule(2)])
    show(desk, '#/schedules')
    await pressInMenu('Weekly 1', 'Pause')
    await waitFor(() => expect(schedules()[0]?.paused).toBe(true))
    await pressInMenu('Weekly 1', 'Resume')
    await waitFor(() => expect(schedules()[0]?.paused).toBe(false))
    await pressInMenu('Weekly 1', 'Remove')
    await waitFor(() => expect(schedules()).toHaveLength(1))
    await press('Undo')
    await waitFor(() => expect(schedules()).toHaveLength(2))
    expect(desk.argumentsOf('schedules/save').at(-1)).toMatchObject({ id: schedule(1).id, isNew: true })
    await pressInMenu('Weekly 2', 'Edit…')
    await screen.findByRole('dialog', { name: 'Edit schedule' })
  })

  it('say that their time zone is unknown, and are mended by another', async () => {
    const rule = { ...schedule(1).rule, zone: 'Mars/Olympus' }
    const { desk } = deskWithSchedules([schedule(1, { rule, nextAt: null })])
    show(desk, '#/schedules')
    const [row] = await rows()
    expect(row?.textContent).toContain("This computer doesn't know this time zone. Choose another.")
    await pressInMenu('Weekly 1', 'Edit…')
    await screen.findByRole('dialog', { name: 'Edit schedule' })
    await press('Save schedule')
    expect(desk.argumentsOf('schedules/save')).toEqual([])
    await pick('Time zone', 'UTC')
    await press('Save schedule')
    await waitFor(() => expect(desk.argumentsOf('schedules/save')).toHaveLength(1))
    expect(desk.argumentsOf('schedules/save')).toMatchObject([{ entry: { rule: { zone: 'UTC' } } }])
  })

  it('say what they are for while there are none, and whose they are among several accounts', async () => {
    const { desk } = deskWithSchedules([], new FakeDesk({ accounts: [account, otherAccount] }))
    show(desk, '#/schedules')
    await screen.findByRole('heading', { level: 1, name: `Schedules of ${account.name}` })
    await screen.findByRole('heading', { name: 'No schedules yet' })
    await press('New schedule')
    await screen.findByRole('dialog', { name: 'New schedule' })
  })

  it('are not added to earlier figures', async () => {
    const earlier: Account = { ...account, kind: 'earlier', account: otherAccount.id }
    const { desk } = deskWithSchedules([], new FakeDesk({ accounts: [earlier] }))
    show(desk, '#/schedules')
    await screen.findByText('Earlier figures have no schedules.')
    expect(screen.queryByRole('button', { name: 'New schedule' })).toBeNull()
  })

  it('say that they cannot be read, and read again', async () => {
    const { desk } = deskWithSchedules([])
    desk.answer('schedules/list', () => failed('internal'))
    show(desk, '#/schedules')
    await screen.findByRole('heading', { name: 'Something went wrong inside Traffic Desk' })
    desk.answer('schedules/list', () => good([schedule(1)]))
    await press('Retry')
    expect(await rows()).toHaveLength(1)
  })
})
