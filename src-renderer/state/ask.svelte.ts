import { untrack } from 'svelte'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { App } from './app.ts'
import { Question } from './question.svelte.ts'

/**
 * A question that is asked whenever `query` becomes another, for as long as the calling component is on screen.
 * To be called while a component is set up.
 */
export function askWhileShown(app: App, account: AccountId, query: () => ReportQuery): Question {
  const question = new Question(app.bridge, account, app.headStart)
  $effect(() => {
    const asked = query()
    untrack(() => void question.ask(asked))
  })
  $effect(() => {
    const { now } = app.clock
    untrack(() => question.keepFresh(now))
  })
  $effect(() => () => question.close())
  return question
}
