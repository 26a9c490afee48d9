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

/** A filter in the form, with a key that does not change with its position. */
export type FormFilter = RawDraftFilter & { readonly key: number }

/** Returns the default draft of the form. */
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

/** Columns of the last request of a type, or all columns if there was none. */
function columnsToBegin(type: RawType, last: RawLastColumns): Pick<RawDraft, 'standard' | 'additional'> {
  const before = last[type]?.[0]
  const standard = rawStandardColumns[type].filter((column) => before?.standard.includes(column) ?? true)
  return {
    standard: standard.length > 0 ? standard : rawStandardColumns[type],
    additional: before?.additional ?? [],
  }
}

/** Initial values of the form. */
type Beginning = {
  readonly draft: RawDraft
  readonly last: RawLastColumns
  /** Whether a draft without an instance is for every instance. */
  readonly isForEvery?: boolean
  /** Draft that was typed and not sent. */
  readonly unfinished?: RawDraft | null
  /** Errors of the service for a request that is being corrected, by field. */
  readonly refused?: { readonly fields: Readonly<Record<string, string>> } | null
}

/** State of the raw report form: its values, its errors, and which errors are shown yet. */
export class RawDraftForm {
  #draft = $state.raw<RawDraft>() as RawDraft
  /** Days as typed. A field may be empty or invalid. */
  typedDays = $state.raw<{ readonly start: string; readonly end: string }>({ start: '', end: '' })
  filters = $state.raw<readonly FormFilter[]>([])
  /** Whether every instance is requested, with one request each. Then no instance has to be chosen. */
  #every = $state(false)
  /** Errors of the service by parameter, until the field changes. */
  #serviceErrors = $state.raw<Readonly<Record<string, string>>>({})
  /** Whether a missing instance is shown as an error. Not when the form opens, because nothing is chosen yet. */
  #instanceWanted = $state(false)
  #columnsChosen = false
  #keys = 0
  /** Parts of new filters that the user has not edited yet, and whose errors are not shown. */
  readonly #untouched = new SvelteSet<string>()
  readonly #rules: () => RawRules
  readonly #start: () => Beginning

  constructor(start: () => Beginning, rules: () => RawRules) {
    this.#start = start
    this.#rules = rules
    const { draft, isForEvery = false, unfinished, refused } = start()
    this.begin(unfinished ?? draft)
    this.#every = isForEvery && this.#draft.instance === null
    if (refused && !unfinished) this.refuse(refused.fields)
  }

  /** Fills the form. Errors of the draft are shown at once, except a missing instance. */
  begin(draft: RawDraft): void {
    this.#draft = draft
    this.typedDays = { start: draft.start, end: draft.end }
    this.filters = draft.filters.map((filter) => this.#keyed(applied(draft.type, filter)))
    this.#serviceErrors = {}
    this.#instanceWanted = false
    this.#every = false
    this.#untouched.clear()
  }

  get draft(): RawDraft {
    const start = parseDay(this.typedDays.start)
    const end = parseDay(this.typedDays.end)
    return {
      ...this.#draft,
      // A missing day uses the other one, so that the range adds no second error.
      start: start ?? end ?? this.#rules().today,
      end: end ?? start ?? this.#rules().today,
      filters: this.filters.map(({ column, operator, value }) => ({ column, operator, value })),
    }
  }

  get every(): boolean {
    return this.#every
  }

  /** @param instance null for every instance */
  chooseInstance(instance: InstanceId | null): void {
    this.#every = instance === null
    this.change({ instance })
  }

  /** Null if a day is missing or the days are in the wrong order. */
  get range(): DayRange | null {
    const start = parseDay(this.typedDays.start)
    const end = parseDay(this.typedDays.end)
    return start && end && start <= end ? { start, end } : null
  }

  /** All errors, in the order of the form. */
  get troubles(): readonly RawTrouble[] {
    const checked = checkDraft(this.draft, this.#rules())
    const found = checked.kind === 'order' ? [] : checked.troubles
    const missing = (['start', 'end'] as const)
      .filter((field) => parseDay(this.typedDays[field]) === undefined)
      .map((field): RawTrouble => ({
        field,
        words: `Choose the ${field === 'start' ? 'first' : 'last'} day.`,
      }))
    const fields = missing.map(({ field }) => field)
    const before = found.filter(({ field }) => field === 'instance' && !this.#every)
    const after = found.filter(({ field }) => field !== 'instance' && !fields.includes(field))
    return [...before, ...missing, ...after]
  }

  /** Error text of a field, on every keystroke: from the service, or from validation. */
  wordsFor(field: DraftField | 'type' | 'email'): string | undefined {
    const refused = this.#serviceErrors[parameterOf[field]]
    if (refused !== undefined) return refused
    if (field === 'instance' && !this.#instanceWanted) return undefined
    return this.troubles.find((trouble) => trouble.field === field && trouble.filter === undefined)?.words
  }

  /** Error text of a part of a filter. */
  wordsForFilter(filter: FormFilter, part: FilterPart): string | undefined {
    if (this.#untouched.has(`${filter.key} ${part}`)) return undefined
    const place = this.filters.indexOf(filter)
    return this.troubles.find((trouble) => trouble.filter === place && trouble.part === part)?.words
  }

  /** Clears the service's error of a field whose value changed. */
  #touch(field: DraftField | 'type' | 'email'): void {
    if (field === 'instance') this.#instanceWanted = true
    this.#serviceErrors = Object.fromEntries(
      Object.entries(this.#serviceErrors).filter(([parameter]) => parameter !== parameterOf[field]),
    )
  }

  /** Marks a part of a filter as edited, so that its errors are shown. */
  touchFilter({ key }: FormFilter, part: FilterPart): void {
    this.#untouched.delete(`${key} ${part}`)
  }

  change(changes: Partial<Pick<RawDraft, 'instance' | 'name' | 'email'>>): void {
    this.#draft = { ...this.#draft, ...changes }
    for (const field of ['instance', 'name', 'email'] as const) if (field in changes) this.#touch(field)
  }

  type(field: 'start' | 'end', text: string): void {
    this.typedDays = { ...this.typedDays, [field]: text }
    this.#touchDays()
  }

  chooseDays({ start, end }: DayRange): void {
    this.typedDays = { start, end }
    this.#touchDays()
  }

  /**
   * Changes the type. Columns that the new type offers stay; filters that it does not support are removed.
   * @returns names of the removed filters' columns
   */
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

  /** Chooses the columns of a set that the type offers. */
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

  /** Columns that can be filtered: the chosen ones, and those that the type filters without a column. */
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

  /** Shows all errors. Returns the first one; undefined if the form is valid. */
  tryToSend(): RawTrouble | undefined {
    this.#instanceWanted = true
    this.#untouched.clear()
    return this.troubles[0]
  }

  /** Shows the service's errors, by parameter name. */
  refuse(fields: Readonly<Record<string, string>>): void {
    this.#serviceErrors = fields
  }

  /** The service's error about one day may be outdated once the other day changes. */
  #touchDays(): void {
    this.#touch('start')
    this.#touch('end')
  }

  #keyed(filter: RawDraftFilter): FormFilter {
    this.#keys += 1
    return { ...filter, key: this.#keys }
  }
}

/** Request parameter of each field (specification: raw/request). */
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

/** Removes an operator or value that the column does not use: the form has no field to show or clear it. */
function applied(type: RawType, { column, operator, value }: RawDraftFilter): RawDraftFilter {
  const takesOperator = rawFilterRule(type, column)?.operators.length !== 0
  const takesValue = operator === null || !operatorsWithoutValue.includes(operator)
  return { column, operator: takesOperator ? operator : null, value: takesValue ? value : '' }
}

/** Returns an operator and a value that the column accepts, as close to the previous ones as possible. */
function fitting(type: RawType, { column, operator, value }: RawDraftFilter): Omit<RawDraftFilter, 'column'> {
  const rule = rawFilterRule(type, column)
  if (!rule) return { operator, value }
  const fits = operator !== null && rule.operators.includes(operator)
  const next = fits ? operator : (rule.operators[0] ?? null)
  if (next !== null && operatorsWithoutValue.includes(next)) return { operator: next, value: '' }
  if (rule.values && !rule.values.includes(value)) return { operator: next, value: rule.values[0] ?? '' }
  return { operator: next, value }
}
