import type { InstancesAnswer, Label } from '#shared/api/answers.ts'
import { SharedNames } from '#shared/api/instance-names.ts'
import type { NamedInstance } from '#shared/api/instance-names.ts'
import type { MoversAnswer, ReportAnswer, Restatements } from '#shared/reports/answer.ts'
import type { ExplainAnswer } from '#shared/reports/explain-answer.ts'
import type { NamedValue } from '#shared/reports/explain.ts'
import type { ReportQuery } from '#shared/reports/query.ts'

type Labelled = { readonly label: Label }

const hasInstances = (query: ReportQuery): boolean => query.kind === 'table' && query.dimension === 'sessions'

/** Marks instances in answers if other instances have the same name. @param listed all known instances */
export class NameMarks {
  readonly #list: () => Promise<readonly NamedInstance[]>

  constructor(listed: () => Promise<readonly NamedInstance[]>) {
    this.#list = listed
  }

  async report<A extends ReportAnswer>(answer: A): Promise<A>
  async report(answer: ReportAnswer): Promise<ReportAnswer> {
    if (answer.kind === 'overview' || !hasInstances(answer.query)) return answer
    const { table } = answer.figures
    const mark = await this.#marking(table.rows)
    const rows = table.rows.map(mark)
    const figures = { ...answer.figures, table: { ...table, rows } }
    return { ...answer, figures, ...(answer.matching && { matching: mark(answer.matching) }) }
  }

  async movers(query: ReportQuery, answer: MoversAnswer): Promise<MoversAnswer> {
    if (!hasInstances(query)) return answer
    const mark = await this.#marking([...answer.up, ...answer.down])
    return { ...answer, up: answer.up.map(mark), down: answer.down.map(mark) }
  }

  async explain(answer: ExplainAnswer): Promise<ExplainAnswer> {
    const valuesOf = ({ named, against, focus }: Values) => [
      ...named,
      ...[against, focus].filter((value) => value !== null),
    ]
    const explained = answer.dimensions.find(
      (item) => item.kind === 'explained' && item.dimension === 'sessions',
    )
    if (explained?.kind !== 'explained') return answer
    const mark = await this.#marking(valuesOf(explained.explanation))
    const { named, against, focus } = explained.explanation
    const explanation = {
      ...explained.explanation,
      named: named.map(mark),
      against: against && mark(against),
      focus: focus && mark(focus),
    }
    const dimensions = answer.dimensions.map((item) =>
      item === explained ? { ...explained, explanation } : item,
    )
    return { ...answer, dimensions }
  }

  async restatements(query: ReportQuery, { items, total }: Restatements): Promise<Restatements> {
    if (!hasInstances(query)) return { items, total }
    const mark = await this.#marking(items.flatMap(({ rows }) => rows))
    return { items: items.map((item) => ({ ...item, rows: item.rows.map(mark) })), total }
  }

  async list(answer: InstancesAnswer): Promise<InstancesAnswer> {
    const named = answer.instances.filter(({ all }) => !all)
    const shared = await this.shared(named)
    const instances = answer.instances.map((instance) => (instance.all ? instance : shared.marked(instance)))
    return { ...answer, instances }
  }

  /** Returns the names that several listed instances share. Empty unless the table is of instances. */
  async listed(query: ReportQuery): Promise<readonly string[]> {
    if (!hasInstances(query)) return []
    const listed = await this.#list().catch(() => [])
    return new SharedNames(listed).namesShared(listed)
  }

  /** Returns the shared names among listed and additional instances. */
  async shared(more: readonly NamedInstance[]): Promise<SharedNames> {
    return new SharedNames([...(await this.#list().catch(() => [])), ...more])
  }

  async #marking(rows: readonly Labelled[]): Promise<<T extends Labelled>(row: T) => T> {
    const shared = await this.shared(rows.flatMap(({ label }) => (label.kind === 'instance' ? label : [])))
    return (row) => (row.label.kind === 'instance' ? { ...row, label: shared.marked(row.label) } : row)
  }
}

type Values = {
  readonly named: readonly NamedValue[]
  readonly against: NamedValue | null
  readonly focus: NamedValue | null
}
