import { describe, expect, it } from 'vitest'
import { menuTemplate } from '../../../src-main/shell/menu.ts'

describe.each(['linux', 'win32', 'darwin'] as const)('the menu on %s', (platform) => {
  const text = JSON.stringify(menuTemplate(platform))

  it('edits, zooms and ends', () => {
    expect(text).toMatch(/editMenu/)
    expect(text).toMatch(/zoomIn/)
    expect(text).toMatch(/"role":"(quit|appMenu)"/)
  })

  it('neither reloads nor opens the tools for developers', () => {
    expect(text).not.toMatch(/reload|devtools/i)
  })
})
