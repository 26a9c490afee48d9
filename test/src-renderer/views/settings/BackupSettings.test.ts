import { screen, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

// Dialogs load with their first use, which takes seconds where nothing is bundled.
beforeAll(() => import('#renderer/views/settings/Settings.svelte'))

const refused: CallOutcome<'desk/choose-backup'> = {
  ok: false,
  failure: { kind: 'invalid', message: 'This file is no backup of Traffic Desk.' },
}

const backup = {
  ...{ id: 'a' as JobId, kind: 'backup' as const, account: null },
  ...{ subject: 'figures', title: 'Backup with saved figures' },
  ...{ endedAt: null, seen: false },
}

async function section(desk: FakeDesk) {
  show(desk, '#/settings')
  return within(await screen.findByRole('region', { name: 'Backup' }))
}

describe('the backup in the settings', () => {
  it('is saved, and says where', async () => {
    const desk = new FakeDesk().answer('desk/back-up', () => good({ file: 'Mine.zip', leftOut: 0 }))
    ;(await section(desk)).getByRole('button', { name: 'Back up' }).click()
    expect(await screen.findByText('Saved as “Mine.zip” in your Downloads folder.')).toBeTruthy()
  })

  it('says how many files of saved figures it lacks', async () => {
    const desk = new FakeDesk().answer('desk/back-up', () => good({ file: 'Mine.zip', leftOut: 2 }))
    ;(await section(desk)).getByRole('button', { name: 'Back up' }).click()
    expect(await screen.findByText(/2 files of saved figures could not be copied\.$/)).toBeTruthy()
  })

  it('takes the saved figures along where the person wants that, says how far it is, and can be given up', async () => {
    const asked: unknown[] = []
    let end: (outcome: CallOutcome<'desk/back-up'>) => void = () => undefined
    const disk = { bytes: 2_000_000, days: 3, since: null }
    const desk = new FakeDesk()
      .answer('settings/disk', () =>
        good({
          accounts: [
            {
              ...{ account: 'first' as AccountId, history: disk },
              ...{ answers: { pages: 5, lookups: 5 }, downloads: { files: 1, bytes: 9_000_000 } },
            },
          ],
          others: { bytes: 1_000_000, days: 1 },
        }),
      )
      .answer('desk/back-up', (given) => {
        asked.push(given)
        return new Promise((resolve) => (end = resolve))
      })
      .answer('jobs/cancel', () => {
        desk.emit('jobs/changed', { job: { ...backup, state: { kind: 'cancelled' } } })
        end({ ok: false, failure: { kind: 'cancelled', message: 'Cancelled.' } })
        return good(null)
      })
    const there = await section(desk)
    const figures = await there.findByRole('checkbox', { name: 'Include saved figures (3 MB)' })
    there.getByRole('button', { name: 'Back up' }).click()
    await expect.poll(() => asked).toEqual([{ figures: true }])
    desk.emit('jobs/changed', {
      job: { ...backup, state: { kind: 'running', done: 1, total: 4, unit: 'files' } },
    })
    expect(await there.findByText('1 of 4 files of saved figures')).toBeTruthy()
    there.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => there.queryByRole('progressbar')).toBeNull()
    expect(there.queryByRole('alert')).toBeNull()
    figures.click()
    there.getByRole('button', { name: 'Back up' }).click()
    await expect.poll(() => asked).toEqual([{ figures: true }, { figures: false }])
  })

  it('goes on where Settings is left, and stands there as far as it is, with its way to give it up', async () => {
    let end: (outcome: CallOutcome<'desk/back-up'>) => void = () => undefined
    const desk = new FakeDesk().answer('desk/back-up', () => new Promise((resolve) => (end = resolve)))
    ;(await section(desk)).getByRole('button', { name: 'Back up' }).click()
    location.hash = '#/help'
    await expect.poll(() => screen.queryByRole('region', { name: 'Backup' })).toBeNull()
    desk.emit('jobs/changed', {
      job: { ...backup, state: { kind: 'running', done: 3, total: 4, unit: 'files' } },
    })
    location.hash = '#/settings'
    const there = within(await screen.findByRole('region', { name: 'Backup' }))
    expect(await there.findByText('3 of 4 files of saved figures')).toBeTruthy()
    expect(there.getByRole('button', { name: 'Cancel' })).toBeTruthy()
    expect(there.getByRole('button', { name: 'Backing up…' }).ariaDisabled).toBe('true')
    location.hash = '#/help'
    await expect.poll(() => screen.queryByRole('region', { name: 'Backup' })).toBeNull()
    const failure = { kind: 'disk', message: 'The disk is full.' } as const
    desk.emit('jobs/changed', { job: { ...backup, state: { kind: 'failed', failure } } })
    end({ ok: false, failure })
    expect(await screen.findByText('The backup was not saved. The disk is full.')).toBeTruthy()
  })

  it('forgets the one that was read in once Settings had been left', async () => {
    const asked: string[] = []
    let read: (outcome: CallOutcome<'desk/choose-backup'>) => void = () => undefined
    const desk = new FakeDesk()
      .answer('desk/choose-backup', () => new Promise((resolve) => (read = resolve)))
      .answer('desk/drop-backup', () => {
        asked.push('drop')
        return good(null)
      })
    ;(await section(desk)).getByRole('button', { name: 'Restore a backup…' }).click()
    await screen.findByRole('button', { name: 'Reading the backup…' })
    location.hash = '#/help'
    await expect.poll(() => screen.queryByRole('region', { name: 'Backup' })).toBeNull()
    read(good({ accounts: ['Kestrel'], figures: null }))
    await expect.poll(() => asked).toEqual(['drop'])
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('says why a file cannot be restored', async () => {
    const desk = new FakeDesk().answer('desk/choose-backup', () => refused)
    const there = await section(desk)
    there.getByRole('button', { name: 'Restore a backup…' }).click()
    expect((await there.findByRole('alert')).textContent).toBe('This file is no backup of Traffic Desk.')
  })

  it('is restored once the person agrees to what it holds, and forgotten where they do not', async () => {
    const asked: string[] = []
    const desk = new FakeDesk()
      .answer('desk/choose-backup', () =>
        good({ accounts: ['Kestrel', 'Wren'], figures: { files: 3, bytes: 4_000_000 } }),
      )
      .answer('desk/drop-backup', () => {
        asked.push('drop')
        return good(null)
      })
      .answer('desk/restore-backup', () => {
        asked.push('restore')
        return good(null)
      })
    const there = await section(desk)
    const open = async () => {
      there.getByRole('button', { name: 'Restore a backup…' }).click()
      return within(await screen.findByRole('dialog', { name: 'Restore this backup?' }))
    }
    const first = await open()
    expect(first.getByText('It contains 2 accounts: Kestrel, Wren.')).toBeTruthy()
    expect(
      first.getByText('It contains saved figures: 4 MB. They are added to those already here.'),
    ).toBeTruthy()
    first.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => asked).toEqual(['drop'])
    const second = await open()
    second.getByRole('button', { name: 'Restore and restart' }).click()
    await expect.poll(() => asked).toEqual(['drop', 'restore'])
  })
})
