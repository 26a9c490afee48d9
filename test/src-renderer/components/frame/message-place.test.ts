import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { atFoot, besideDialog, riseOver } from '#renderer/components/frame/message-place.ts'

const taken = () => document.documentElement.style.getPropertyValue('--foot-taken')

/** It tells sizes at once: there is no layout here that they would come with. */
class Observer {
  readonly #told: () => void
  constructor(told: () => void) {
    this.#told = told
  }
  observe(): void {
    this.#told()
  }
  disconnect(): void {
    // Nothing goes on.
  }
}

beforeEach(() => void vi.stubGlobal('ResizeObserver', Observer))
afterEach(() => void vi.unstubAllGlobals())

function controls(height: number): HTMLElement {
  const element = document.createElement('div')
  Object.defineProperty(element, 'offsetHeight', { value: height })
  return element
}

it('says how high the controls at the foot are, for as long as they lie there', () => {
  const leave = atFoot(controls(30))
  expect(taken()).toBe('calc(30px + var(--space-3))')
  leave()
  expect(taken()).toBe('')
})

it('goes on with those of the next view where they come before the others go', () => {
  const leave = atFoot(controls(30))
  const leaveNext = atFoot(controls(44))
  leave()
  expect(taken()).toBe('calc(44px + var(--space-3))')
  leaveNext()
  expect(taken()).toBe('')
})

const foot = { left: 400, right: 800, top: 720, bottom: 780 }

it.each([
  ['nothing was used', null],
  ['a button above them', { left: 500, right: 560, top: 100, bottom: 130 }],
  ['a button beside them', { left: 20, right: 120, top: 740, bottom: 770 }],
])('messages stay in their place where it is %s', (_, used) => {
  expect(riseOver(foot, used)).toBe(0)
})

it('messages rise above a button that they would lie over', () => {
  const used = { left: 780, right: 840, top: 740, bottom: 770 }
  const rise = riseOver(foot, used)
  expect(foot.bottom - rise).toBeLessThan(used.top)
  expect(foot.top - rise).toBeGreaterThan(0)
})

it('messages stay where there is no place above', () => {
  expect(riseOver(foot, { left: 400, right: 800, top: 10, bottom: 790 })).toBe(0)
})

it.each([
  ['no dialog is open', null, 1200, 'in-place'],
  ['a dialog ends above them', { left: 300, right: 900, top: 200, bottom: 700 }, 1200, 'in-place'],
  ['a dialog leaves the corner free', { left: 300, right: 900, top: 100, bottom: 760 }, 1400, 'in-corner'],
  ['a dialog leaves no room', { left: 100, right: 1100, top: 20, bottom: 780 }, 1200, 'hidden'],
] as const)('messages are never over a dialog: %s', (_, dialog, width, expected) => {
  expect(besideDialog(foot, dialog, width)).toBe(expected)
})
