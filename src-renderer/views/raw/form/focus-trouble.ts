import type { RawTrouble } from '../../../../src-shared/raw/check-draft.ts'
import type { FormFilter } from '../../../state/raw-draft.svelte.ts'

/** Moves the focus to where something is wrong. */
export function focusTrouble(form: HTMLElement, trouble: RawTrouble, filters: readonly FormFilter[]): void {
  const filter = trouble.filter === undefined ? undefined : filters[trouble.filter]
  const within = filter
    ? form.querySelector(`[data-filter="${filter.key}"]`)
    : form.querySelector(`[data-field="${trouble.field}"]`)
  const field =
    within?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    within?.querySelector<HTMLElement>('input, select, button') ??
    form.querySelector<HTMLElement>('[aria-invalid="true"]')
  field?.focus()
}
