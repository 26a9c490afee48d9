import { expect, it } from 'vitest'
import { usualPaper } from '#shared/exports/paper.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import type { Instant } from '#shared/values/ids.ts'
import { print } from '#renderer/views/print/print.ts'
import { FakeDesk, account, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { findings, madeCase } from '#test/src-renderer/helpers/made-case.ts'

const printCase = async (madeAt: Instant | null) => {
  Object.defineProperty(document, 'fonts', { value: { ready: Promise.resolve() }, configurable: true })
  const desk = new FakeDesk().answer('cases/of', () => good(madeCase))
  const target = document.createElement('div')
  const view = `#/cases/${madeCase.id}`
  const address = { account: account.id, view, paper: usualPaper, madeAt, day: null }
  const outcome = await print(target, desk.bridge, address)
  return { outcome, target }
}

it('draws a case of the update that it is asked for', async () => {
  const { outcome, target } = await printCase(findings.madeAt)
  expect(outcome.kind).toBe('printed')
  expect(target.textContent).toContain('In short')
})

it('refuses a case that was updated since: a pack tells the figures of one update', async () => {
  const { outcome, target } = await printCase((findings.madeAt - 1) as Instant)
  expect(outcome).toEqual({ kind: 'failed', failure: { kind: 'invalid', message: changedMeanwhile } })
  expect(target.textContent).toBe('')
})
