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
