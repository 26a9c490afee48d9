import type { BrowserWindow } from 'electron'
import { expect, it, vi } from 'vitest'
import { Printer } from '#main/shell/print.ts'

it('does not wait for a locked app any longer once it is cancelled', async () => {
  const newWindow = vi.fn()
  const printer = new Printer(newWindow as unknown as typeof BrowserWindow, '/preload.cjs')
  printer.use({ opened: () => new Promise<void>(() => undefined) })
  const ending = new AbortController()
  const printed = printer.print('#/print', ending.signal)
  ending.abort()
  await expect(printed).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  expect(newWindow).not.toHaveBeenCalled()
})
