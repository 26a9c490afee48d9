import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { menuTemplate } from '#main/shell/menu.ts'
import { commands } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'

type Entry = MenuItemConstructorOptions

const everyEntry = (entries: readonly Entry[]): Entry[] =>
  entries.flatMap((entry) => [entry, ...(Array.isArray(entry.submenu) ? everyEntry(entry.submenu) : [])])

describe.each(['linux', 'win32', 'darwin'] as const)('the menu on %s', (platform) => {
  const sent: Command[] = []
  const template = menuTemplate(platform, (command) => sent.push(command))
  const entries = everyEntry(template)
  const text = JSON.stringify(template)

  it('edits, zooms and ends', () => {
    expect(text).toMatch(/editMenu/)
    expect(text).toMatch(/zoomIn/)
    expect(text).toMatch(/"role":"quit"/)
  })

  it('neither reloads nor opens the tools for developers', () => {
    expect(text).not.toMatch(/reload|devtools/i)
  })

  it('has an entry for every command, with its keys where it has some', () => {
    const chosen = entries.filter(({ click }) => click)
    sent.length = 0
    for (const { click } of chosen) (click as unknown as () => void)()
    expect(new Set(sent)).toEqual(new Set(commands))
  })

  it('gives no keys twice', () => {
    const keys = entries.flatMap(({ accelerator }) => accelerator ?? [])
    expect(new Set(keys).size).toBe(keys.length)
  })
})
