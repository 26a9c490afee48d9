import { untrack } from 'svelte'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { App } from './app.ts'
import { Question } from './question.svelte.ts'

/**
 * A question that is asked whenever `query` becomes another, for as long as the calling component is on screen.
 * To be called while a component is set up.
 */
export function askWhileShown(app: App, account: AccountId, query: () => ReportQuery): Question {
  const question = new Question(app.bridge, account, app.headStart)
  // At once: an answer that is there already is drawn with the view.
  untrack(() => void question.ask(query()))
  $effect(() => {
    const asked = query()
    if (asked !== untrack(() => question.query)) untrack(() => void question.ask(asked))
  })
  $effect(() => {
    const { now } = app.clock
    untrack(() => question.keepFresh(now))
  })
  $effect(() => () => question.close())
  return question
}
