import { fireEvent, screen, within } from '@testing-library/svelte'
import type { RawReportId } from '#shared/values/ids.ts'
import { FakeDesk, good } from './fake-desk.ts'
import { show } from './show.ts'

/** A desk that takes every raw report that is asked for. */
export const desk = (): FakeDesk =>
  new FakeDesk().answer('raw/request', () => good({ kind: 'report' as const, report: 'r-9' as RawReportId }))

export const field = (name: string): HTMLInputElement => screen.getByLabelText<HTMLInputElement>(name)

export const group = (name: string) => within(screen.getByRole('group', { name }))

export const column = (name: string): HTMLInputElement =>
  group('Standard columns').getByRole<HTMLInputElement>('checkbox', { name })

export const send = () => fireEvent.click(screen.getByRole('button', { name: 'Request report' }))

/** What was asked for last. */
export const asked = (of: FakeDesk) => of.argumentsOf('raw/request').at(-1)

/** What is said to be wrong with a control. */
export const faultOf = (control: HTMLElement): string =>
  (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id))
    .filter((each) => each?.classList.contains('fault'))
    .map((each) => each?.textContent)
    .join('')

/** Opens the form, new or begun with what an address says. */
export async function open(of: FakeDesk, form = 'new'): Promise<void> {
  show(of, `#/raw?form=${encodeURIComponent(form)}`)
  await screen.findByRole('button', { name: 'Request report' })
}
