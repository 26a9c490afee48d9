import { describe, expect, it } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import { Notes } from '#main/watch/notes/notes.ts'
import type { EarlierAccount } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { NoteEntry, NoteId } from '#shared/watch/notes.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { account, firstId, localStore, secondId } from '../../database/helpers.ts'
import { HandClock } from '../../reports/clock.ts'

const earlierId = '55555555-5555-8555-8555-555555555555' as AccountId
const earlier: EarlierAccount = { ...account(), id: earlierId, kind: 'earlier', account: firstId }

async function open() {
  const store = localStore()
  const listed = [account(), account({ id: secondId, name: 'Other', dayZone: 'Pacific/Kiritimati' })]
  for (const each of listed) await store.run('accounts/put', each)
  const all = [...listed, earlier]
  const accounts = fake<Accounts>('accounts', {
    list: () => all,
    account: (id) => {
      const found = all.find((each) => each.id === id)
      if (!found) throw invalid('This account has been removed.', 'account')
      return found
    },
  })
  const told: AccountId[] = []
  const leftOut: boolean[] = []
  const events = eventsTo((event) => {
    if (event.kind !== 'notes/changed') return
    told.push(event.account)
    leftOut.push(event.leavesOut)
  })
  const notes = new Notes({ store, accounts, events, clock: new HandClock('2026-11-20T12:00:00Z') })
  const list = (whose = firstId) => notes.list({ account: whose })
  return { notes, list, told, leftOut }
}

const entry: NoteEntry = {
  ...{ range: { start: day('2026-11-18'), end: day('2026-11-19') } },
  ...{ text: ' Partner\npaused ', subject: { kind: 'account' }, leavesOut: true },
}

describe('notes', () => {
  it('are added, changed and removed, and each is told', async () => {
    const { notes, list, told } = await open()
    const added = await notes.add({ account: secondId, entry })
    expect(added).toEqual({ ...entry, id: added.id, text: 'Partner paused' })
    expect(await list(secondId)).toEqual([added])
    const { id } = added
    const changed = await notes.change({ account: secondId, id, entry: { ...entry, text: 'Back' } })
    expect(await list(secondId)).toEqual([changed])
    expect(await notes.remove({ account: secondId, id })).toEqual(changed)
    expect(await list(secondId)).toEqual([])
    expect(told).toEqual([secondId, secondId, secondId])
  })

  it('say whether they left days out of what is usual, before or after', async () => {
    const { notes, leftOut } = await open()
    const plain = { ...entry, leavesOut: false }
    const { id } = await notes.add({ account: secondId, entry: plain })
    const of = { account: secondId, id }
    for (const next of [plain, entry, plain]) await notes.change({ ...of, entry: next })
    await notes.remove(of)
    expect(leftOut).toEqual([false, false, true, true, false])
  })

  it('are refused in words about a field, and nothing is told', async () => {
    const { notes, list, told } = await open()
    const refusedBy = async (changes: Partial<NoteEntry>) =>
      await notes.add({ account: firstId, entry: { ...entry, ...changes } }).catch(({ failure }) => failure)
    expect(await refusedBy({ text: '' })).toMatchObject({ kind: 'invalid', field: 'text' })
    expect(await refusedBy({ range: { start: day('2026-11-20'), end: day('2030-01-01') } })).toMatchObject({
      ...{ kind: 'invalid', field: 'days' },
    })
    expect(await refusedBy({ subject: { kind: 'view', view: '#/settings' } })).toMatchObject({
      field: 'view',
    })
    const id = '33333333-3333-4333-8333-333333333333' as NoteId
    await expect(notes.remove({ account: firstId, id })).rejects.toThrow('was deleted')
    expect(await list()).toEqual([])
    expect(told).toEqual([])
  })

  it('belong to the account: its earlier figures have the same', async () => {
    const { notes, list, told } = await open()
    const first = await notes.add({ account: firstId, entry })
    const second = await notes.add({ account: earlierId, entry: { ...entry, text: 'Later' } })
    expect(await list()).toEqual([first, second])
    expect(await list(earlierId)).toEqual([first, second])
    expect(await list(secondId)).toEqual([])
    expect(told).toEqual([firstId, earlierId, firstId, earlierId])
  })
})
