import { expect, it } from 'vitest'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { LockState } from '#shared/app/lock.ts'
import { waitingWhileLocked } from '#renderer/stores/waiting-while-locked.ts'

/** A main process that can be locked, and counts what it is asked. */
function lockable() {
  const asked: string[] = []
  let locked = false
  let listener: (state: LockState) => void = () => undefined
  const bridge = {
    call: async (name: string) => {
      asked.push(name)
      return locked
        ? { ok: false, failure: { kind: 'locked', message: '' } }
        : { ok: true, value: `answer to ${name}` }
    },
    on: (_: string, heard: typeof listener) => {
      listener = heard
      return () => undefined
    },
    dropped: async () => [],
  } as unknown as DeskBridge
  const set = (next: boolean) => {
    locked = next
    listener({ locked, after: 5, waitsUntil: null })
  }
  return { bridge: waitingWhileLocked(bridge), asked, set }
}

it('answers what was asked of a locked window once it is open, and nothing twice', async () => {
  const { bridge, asked, set } = lockable()
  set(true)
  let answered = false
  const answer = bridge.call('exports/list').then((outcome) => {
    answered = true
    return outcome
  })
  await new Promise((resolve) => setTimeout(resolve))
  expect(answered).toBe(false)
  expect(asked).toEqual(['exports/list'])
  set(false)
  expect(await answer).toEqual({ ok: true, value: 'answer to exports/list' })
  expect(asked).toEqual(['exports/list', 'exports/list'])
})

it('asks again at once where it was opened while the refusal was on its way', async () => {
  const { bridge, set } = lockable()
  set(true)
  const answer = bridge.call('exports/list')
  set(false)
  expect(await answer).toEqual({ ok: true, value: 'answer to exports/list' })
})
