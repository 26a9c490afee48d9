import type { ReportQuery } from '#shared/reports/query.ts'
import type { StatusSource } from './status.ts'

/** A question of the open view, which can be repeated. */
export type ShownQuestion = StatusSource & {
  /** Query of the answer; null before the answer, or if it is no report. */
  readonly subject: ReportQuery | null
  again(force: boolean): void
}

/** Questions of the open view, for the status in the header. */
export class Shown {
  questions = $state.raw<readonly ShownQuestion[]>([])

  /** Sets the questions. Call the result to clear them, unless another view has set its own. */
  show(questions: readonly ShownQuestion[]): () => void {
    this.questions = questions
    return () => {
      if (this.questions === questions) this.questions = []
    }
  }
}
