import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { atFoot } from '#renderer/components/frame/at-foot.ts'

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
  expect(taken()).toBe('30px')
  leave()
  expect(taken()).toBe('')
})

it('goes on with those of the next view where they come before the others go', () => {
  const leave = atFoot(controls(30))
  const leaveNext = atFoot(controls(44))
  leave()
  expect(taken()).toBe('44px')
  leaveNext()
  expect(taken()).toBe('')
})
