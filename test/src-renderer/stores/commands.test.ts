import { describe, expect, it } from 'vitest'
import { Commands } from '#renderer/stores/commands.svelte.ts'

describe('commands', () => {
  it('are done by whoever offered them last, as long as they are offered', () => {
    const done: string[] = []
    const commands = new Commands()
    const run = (name: string) => () => void done.push(name)
    expect(commands.run('refresh')).toBe(false)
    const stopFrame = commands.offer('refresh', run('frame'))
    const stopView = commands.offer('refresh', run('view'))
    commands.run('refresh')
    stopView()
    commands.run('refresh')
    stopFrame()
    expect(commands.run('refresh')).toBe(false)
    expect(done).toEqual(['view', 'frame'])
  })

  it('are told apart though the same function is offered twice', () => {
    const commands = new Commands()
    const same = () => undefined
    commands.offer('find', same)()
    commands.offer('find', same)
    expect(commands.can('find')).toBe(true)
    expect(commands.can('export')).toBe(false)
  })
})

describe('a command that a view will offer', () => {
  const later = () => Promise.resolve()

  it('is done once it is offered, as long as it is wanted', async () => {
    const done: string[] = []
    const commands = new Commands()
    commands.runOnceOffered('new-token', () => true)
    commands.offer('new-token', () => void done.push('token'))
    await later()
    commands.offer('new-token', () => void done.push('again'))
    await later()
    expect(done).toEqual(['token'])
  })

  it('is done at once where it is offered already', () => {
    const commands = new Commands()
    let done = 0
    commands.offer('restore', () => (done += 1))
    commands.runOnceOffered('restore', () => true)
    expect(done).toBe(1)
  })

  it('is not done where a person went on, or asked for something else', async () => {
    const commands = new Commands()
    let done = 0
    commands.runOnceOffered('export-xlsx', () => false)
    commands.offer('export-xlsx', () => (done += 1))
    await later()
    commands.runOnceOffered('export-pdf', () => true)
    commands.run('refresh')
    commands.offer('export-pdf', () => (done += 1))
    await later()
    expect(done).toBe(0)
  })
})
