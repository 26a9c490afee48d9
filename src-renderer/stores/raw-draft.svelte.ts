import { SvelteSet } from 'svelte/reactivity'
import { checkDraft, columnWords } from '#shared/raw/draft.ts'
import type { RawRules, RawTrouble, RawDraft, RawDraftFilter } from '#shared/raw/draft.ts'
import type { RawLastColumns } from '#shared/raw/requests.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { operatorsWithoutValue, rawFilterRule, rawStandardColumns } from '#shared/api/raw-columns.ts'
import { addDays, parseDay } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

type DraftField = RawTrouble['field']
type FilterPart = NonNullable<RawTrouble['part']>

/** A filter in the form; its key stays, wherever it stands. */
export type FormFilter = RawDraftFilter & { readonly key: number }

/** The draft that a form without anything to begin with holds. */
export function newDraft(
  today: Day,
  last: RawLastColumns,
  instance: InstanceId | null,
  type: RawType = 'response',
): RawDraft {
  return {
    type,
    instance,
    start: addDays(today, -7),
    end: addDays(today, -1),
    name: '',
    ...columnsToBegin(type, last),
    filters: [],
    email: false,
  }
}

/** The columns that were asked for last, where they are known; else all there are. */
function columnsToBegin(type: RawType, last: RawLastColumns): Pick<RawDraft, 'standard' | 'additional'> {
  const before = last[type]?.[0]
  const standard = rawStandardColumns[type].filter((column) => before?.standard.includes(column) ?? true)
  return {
    standard: standard.length > 0 ? standard : rawStandardColumns[type],
    additional: before?.additional ?? [],
  }
}

/** What a form begins with. */
type Beginning = {
  readonly draft: RawDraft
  readonly last: RawLastColumns
  /** What was filled in before, and not sent. */
  readonly unfinished?: RawDraft | null
  /** What the service did not take of a request that is changed, by field. */
  readonly refused?: { readonly fields: Readonly<Record<string, string>> } | null
}

/** A raw report as it is filled in: what stands in the form, what is wrong with it, and what of that is to be said yet. */
export class RawDraftForm {
  #draft = $state.raw<RawDraft>() as RawDraft
  /** The days as they were typed: a field may hold none. */
  typed = $state.raw<{ readonly start: string; readonly end: string }>({ start: '', end: '' })
  filters = $state.raw<readonly FormFilter[]>([])
  /** Whether it is asked for every instance, a request each: then no instance is missing. */
  #every = $state(false)
  /** What the service does not take, by field, until the field is changed. */
  #refused = $state.raw<Readonly<Record<string, string>>>({})
  /** Whether an instance that is missing is said yet: nobody has chosen one when the form opens. */
  #instanceWanted = $state(false)
  #columnsChosen = false
  #keys = 0
  /** Parts of filters that were added and that nobody has filled in yet: what they lack is not said. */
  readonly #untouched = new SvelteSet<string>()
  readonly #rules: () => RawRules
  readonly #start: () => Beginning

  constructor(start: () => Beginning, rules: () => RawRules) {
    this.#start = start
    this.#rules = rules
    const { draft, unfinished, refused } = start()
    this.begin(unfinished ?? draft)
    if (refused && !unfinished) this.refuse(refused.fields)
  }

  /** Fills the form anew. What is wrong with what it begins with is said at once, but for a missing instance. */
  begin(draft: RawDraft): void {
    this.#draft = draft
    this.typed = { start: draft.start, end: draft.end }
    this.filters = draft.filters.map((filter) => this.#keyed(applied(draft.type, filter)))
    this.#refused = {}
    this.#instanceWanted = false
    this.#every = false
    this.#untouched.clear()
  }

  get draft(): RawDraft {
    const start = parseDay(this.typed.start)
    const end = parseDay(this.typed.end)
    return {
      ...this.#draft,
      // A day that is missing is no other trouble beside.
      start: start ?? end ?? this.#rules().today,
      end: end ?? start ?? this.#rules().today,
      filters: this.filters.map(({ column, operator, value }) => ({ column, operator, value })),
    }
  }

  get every(): boolean {
    return this.#every
  }

  /** @param instance null for all of them */
  chooseInstance(instance: InstanceId | null): void {
    this.#every = instance === null
    this.change({ instance })
  }

  /** The days, where both fields hold one and they follow each other. */
  get range(): DayRange | null {
    const start = parseDay(this.typed.start)
    const end = parseDay(this.typed.end)
    return start && end && start <= end ? { start, end } : null
  }

  /** All that is wrong, in the order of the form. */
  get troubles(): readonly RawTrouble[] {
    const checked = checkDraft(this.draft, this.#rules())
    const found = checked.kind === 'order' ? [] : checked.troubles
    const missing = (['start', 'end'] as const)
      .filter((field) => parseDay(this.typed[field]) === undefined)
      .map((field): RawTrouble => ({
        field,
        words: `Choose the ${field === 'start' ? 'first' : 'last'} day.`,
      }))
    const fields = missing.map(({ field }) => field)
    const before = found.filter(({ field }) => field === 'instance' && !this.#every)
    const after = found.filter(({ field }) => field !== 'instance' && !fields.includes(field))
    return [...before, ...missing, ...after]
  }

  /** What is said beside a field, with every key: what is wrong with it, or what the service said about it. */
  wordsFor(field: DraftField | 'type' | 'email'): string | undefined {
    const refused = this.#refused[parameterOf[field]]
    if (refused !== undefined) return refused
    if (field === 'instance' && !this.#instanceWanted) return undefined
    return this.troubles.find((trouble) => trouble.field === field && trouble.filter === undefined)?.words
  }

  /** What is said beside a part of a filter. */
  wordsForFilter(filter: FormFilter, part: FilterPart): string | undefined {
    if (this.#untouched.has(`${filter.key} ${part}`)) return undefined
    const place = this.filters.indexOf(filter)
    return this.troubles.find((trouble) => trouble.filter === place && trouble.part === part)?.words
  }

  /** Something else stands there: what the service said of what was there before holds no more. */
  #touch(field: DraftField | 'type' | 'email'): void {
    if (field === 'instance') this.#instanceWanted = true
    this.#refused = Object.fromEntries(
      Object.entries(this.#refused).filter(([parameter]) => parameter !== parameterOf[field]),
    )
  }

  /** Somebody was in this part of a filter: what it lacks is said from now on. */
  touchFilter({ key }: FormFilter, part: FilterPart): void {
    this.#untouched.delete(`${key} ${part}`)
  }

  change(changes: Partial<Pick<RawDraft, 'instance' | 'name' | 'email'>>): void {
    this.#draft = { ...this.#draft, ...changes }
    for (const field of ['instance', 'name', 'email'] as const) if (field in changes) this.#touch(field)
  }

  type(field: 'start' | 'end', text: string): void {
    this.typed = { ...this.typed, [field]: text }
    this.#touchDays()
  }

  chooseDays({ start, end }: DayRange): void {
    this.typed = { start, end }
    this.#touchDays()
  }

  /** Another type has other columns: those that it offers stay, and filters that it cannot have go. Names those that went. */
  chooseType(type: RawType): string[] {
    const { standard } = this.#draft
    const stay = standard.filter((column) => rawStandardColumns[type].includes(column))
    const columns =
      this.#columnsChosen && stay.length > 0
        ? { standard: stay, additional: this.#draft.additional }
        : columnsToBegin(type, this.#start().last)
    this.#draft = { ...this.#draft, type, ...columns }
    const gone = this.filters.filter(({ column }) => column !== '' && !rawFilterRule(type, column))
    this.filters = this.filters
      .filter((filter) => !gone.includes(filter))
      .map((filter) => ({ ...filter, ...fitting(type, filter) }))
    this.#touch('type')
    return gone.map(({ column }) => columnWords(column))
  }

  chooseStandard(columns: readonly string[], chosen: boolean): void {
    const offered = rawStandardColumns[this.#draft.type]
    const { standard } = this.#draft
    this.#columnsChosen = true
    this.#draft = {
      ...this.#draft,
      standard: offered.filter((column) => (columns.includes(column) ? chosen : standard.includes(column))),
    }
    this.#touch('standard')
  }

  chooseAdditional(column: number, chosen: boolean): void {
    const others = this.#draft.additional.filter((value) => value !== column)
    this.#columnsChosen = true
    this.#draft = {
      ...this.#draft,
      additional: (chosen ? [...others, column] : others).toSorted((a, b) => a - b),
    }
    this.#touch('additional')
  }

  /** Chooses the columns of a set, as far as the type offers them. */
  chooseSet({ standard, additional }: Pick<RawDraft, 'standard' | 'additional'>): void {
    const offered = rawStandardColumns[this.#draft.type]
    this.#columnsChosen = true
    this.#draft = {
      ...this.#draft,
      standard: offered.filter((column) => standard.includes(column)),
      additional: additional.toSorted((a, b) => a - b),
    }
    this.#touch('standard')
    this.#touch('additional')
  }

  /** What may be filtered: the columns that are chosen, and what the type filters by beside its columns. */
  get filterable(): readonly string[] {
    const { type, standard, additional } = this.#draft
    const beside = rawFilterRule(type, 'result')?.operators.length === 0 ? ['result'] : []
    return [...beside, ...standard, ...additional.map(String)]
  }

  addFilter(): FormFilter {
    const taken = this.filters.map(({ column }) => column)
    const column = this.filterable.find((value) => !taken.includes(value)) ?? ''
    const filter = this.#keyed({
      column,
      ...fitting(this.#draft.type, { column, operator: null, value: '' }),
    })
    this.#untouched.add(`${filter.key} value`)
    this.filters = [...this.filters, filter]
    this.#touch('filters')
    return filter
  }

  changeFilter(filter: FormFilter, changes: Partial<RawDraftFilter>): void {
    const { key } = filter
    for (const part of ['column', 'operator', 'value'] as const) {
      if (part in changes) this.touchFilter(filter, part)
    }
    this.filters = this.filters.map((formFilter) => {
      if (formFilter.key !== key) return formFilter
      const next = { ...formFilter, ...changes }
      return { ...next, ...fitting(this.#draft.type, next) }
    })
    this.#touch('filters')
  }

  removeFilter({ key }: FormFilter): void {
    this.filters = this.filters.filter((filter) => filter.key !== key)
    this.#touch('filters')
  }

  /** Somebody wants to send it: all that is wrong is said. The first that is wrong; nothing where all is right. */
  tryToSend(): RawTrouble | undefined {
    this.#instanceWanted = true
    this.#untouched.clear()
    return this.troubles[0]
  }

  /** What the service said about single fields, by the parameter's name. */
  refuse(fields: Readonly<Record<string, string>>): void {
    this.#refused = fields
  }

  /** What the service said of one day may be wrong once the other has changed. */
  #touchDays(): void {
    this.#touch('start')
    this.#touch('end')
  }

  #keyed(filter: RawDraftFilter): FormFilter {
    this.#keys += 1
    return { ...filter, key: this.#keys }
  }
}

/** The parameter that each field fills (specification: raw/request). */
const parameterOf: Readonly<Record<DraftField | 'type' | 'email', string>> = {
  type: 'type',
  instance: 'instance',
  start: 'start',
  end: 'end',
  name: 'name',
  standard: 'standard',
  additional: 'additional',
  filters: 'filters',
  email: 'send_email',
}

/** A filter without an operator and a value where none is applied: nobody could see them, or take them out. */
function applied(type: RawType, { column, operator, value }: RawDraftFilter): RawDraftFilter {
  const takesOperator = rawFilterRule(type, column)?.operators.length !== 0
  const takesValue = operator === null || !operatorsWithoutValue.includes(operator)
  return { column, operator: takesOperator ? operator : null, value: takesValue ? value : '' }
}

/** An operator and a value that the column takes, as near to what was there as can be. */
function fitting(type: RawType, { column, operator, value }: RawDraftFilter): Omit<RawDraftFilter, 'column'> {
  const rule = rawFilterRule(type, column)
  if (!rule) return { operator, value }
  const fits = operator !== null && rule.operators.includes(operator)
  const next = fits ? operator : (rule.operators[0] ?? null)
  if (next !== null && operatorsWithoutValue.includes(next)) return { operator: next, value: '' }
  if (rule.values && !rule.values.includes(value)) return { operator: next, value: rule.values[0] ?? '' }
  return { operator: next, value }
}
