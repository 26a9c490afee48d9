import { expect, it } from 'vitest'
import { atFoot } from '../../../../src-renderer/parts/frame/at-foot.ts'

const taken = () => document.documentElement.style.getPropertyValue('--foot-taken')

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
