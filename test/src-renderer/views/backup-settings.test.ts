import { screen, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CallOutcome } from '../../../src-shared/bridge/calls.ts'
import { FakeDesk, good } from '../helpers/fake-desk.ts'
import { show } from '../helpers/show.ts'

// Dialogs load with their first use, which takes seconds where nothing is bundled.
beforeAll(async () => {
  await import('../../../src-renderer/views/settings/Settings.svelte')
}, 60_000)

const refused: CallOutcome<'desk/choose-backup'> = {
  ok: false,
  failure: { kind: 'invalid', message: 'This file is no backup of Traffic Desk.' },
}

async function section(desk: FakeDesk) {
  show(desk, '#/settings')
  return within(await screen.findByRole('region', { name: 'Backup' }))
}

describe('the backup in the settings', () => {
  it('is saved, and says where', async () => {
    const desk = new FakeDesk().answer('desk/back-up', () => good({ file: 'Mine.desk-backup' }))
    ;(await section(desk)).getByRole('button', { name: 'Back up' }).click()
    expect(await screen.findByText('Saved as “Mine.desk-backup” in your downloads.')).toBeTruthy()
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
      .answer('desk/choose-backup', () => good({ accounts: ['Kestrel', 'Wren'] }))
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
    expect(first.getByText('It holds 2 accounts: Kestrel, Wren.')).toBeTruthy()
    first.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => asked).toEqual(['drop'])
    const second = await open()
    second.getByRole('button', { name: 'Restore and start again' }).click()
    await expect.poll(() => asked).toEqual(['drop', 'restore'])
  })
})
