import { vi } from 'vitest'
import { pending } from './fake-desk.ts'

/** Answers that come when the test says so, in the order of the queries. The clock is the test's too. */
export function slowAnswers<Outcome>() {
  const waiting: ReturnType<typeof pending<Outcome>>[] = []
  const answer = () => {
    const next = pending<Outcome>()
    waiting.push(next)
    return next.promise
  }
  const settle = async (index: number, outcome: Outcome) => {
    waiting[index]?.resolve(outcome)
    await vi.advanceTimersByTimeAsync(0)
  }
  return { answer, settle, asked: () => waiting.length }
}
