/** Moves the focus to the first field beside which something is said to be wrong; false where nothing is. */
export function focusFirstFault(form: HTMLElement): boolean {
  const fault = form.querySelector('.fault:not(:empty)')
  const around = fault?.closest('.field, fieldset')
  const control =
    around?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    around?.querySelector<HTMLElement>('input, select, button')
  control?.focus()
  return control !== undefined && control !== null
}
