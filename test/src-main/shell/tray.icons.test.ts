import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { trayIcons } from '#main/shell/tray.ts'

const folder = resolve(import.meta.dirname, '../../../resources/icons/tray')

/** Width and height as a PNG file says them in its first chunk. */
function sizeOf(name: string): readonly [number, number] {
  const bytes = readFileSync(resolve(folder, `${name}.png`))
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

describe("the tray's icons", () => {
  it.each(trayIcons)('are there for %s, of usual and of twice the density, for macOS too', (icon) => {
    expect(sizeOf(icon)).toEqual([24, 24])
    expect(sizeOf(`${icon}@2x`)).toEqual([48, 48])
    expect(sizeOf(`${icon}Template`)).toEqual([18, 18])
    expect(sizeOf(`${icon}Template@2x`)).toEqual([36, 36])
  })

  it('tell each state from the others', () => {
    for (const ending of ['', '@2x', 'Template', 'Template@2x']) {
      const pictures = trayIcons.map((icon) =>
        readFileSync(resolve(folder, `${icon}${ending}.png`), 'base64'),
      )
      expect(new Set(pictures).size).toBe(trayIcons.length)
    }
  })
})
